import { approval, decided, risk } from './approval'
import { asked } from './asked'
import { attach, quick } from './composer'
import { history, missing, transcript } from './history'
import type { late } from './late'
import { markdown } from './markdown'
import { message } from './message'
import { agents, chat, devices } from './people'
import { picture } from './picture'
import { card, delivery, dock, ended, more_time, refusal } from './request'
import { attention } from './settings'
import { app, banner, common, nav, time } from './shell'
import { first, signin } from './start'
import { timeline } from './timeline'

/** The texts of the page, one file per area; `t('card.send')` is `send` of `card`. */
export const en = {
  app,
  nav,
  dock,
  card,
  asked,
  approval,
  decided,
  risk,
  attach,
  picture,
  quick,
  more_time,
  ended,
  delivery,
  refusal,
  timeline,
  transcript,
  history,
  missing,
  message,
  agents,
  devices,
  time,
  banner,
  signin,
  first,
  chat,
  attention,
  markdown,
  common,
}

/** With what comes later. */
export type Messages = typeof en & typeof late
