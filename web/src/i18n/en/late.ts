import { pair } from './pair'
import { keys, settings } from './settings'
import { canvas, miniapp, tools } from './tools'

/** English texts of what is loaded after the first card can be read. */
export const late = { tools, canvas, miniapp, settings, keys, pair }
