import { at, clock, leftOf, paused, resumed, shareOf, started } from './timer.js'
import { wordsFor } from './words.js'

const ROUND = 2 * Math.PI * 54
const find = (id) => document.getElementById(id)

let timer = null
let words = wordsFor('en')
let sent = 0
/** The calls of `wait` that have no result yet, by their ids. */
const waiting = new Map()

// ---- the page around it ---------------------------------------------------------------------------

function send(type, payload) {
  sent += 1
  parent.postMessage(JSON.stringify({ v: 1, id: `pomodoro-${sent}`, type, payload }), '*')
}

const receive = {
  'system.hello'({ locale = 'en', theme = 'light' }) {
    words = wordsFor(locale)
    document.documentElement.lang = locale
    document.documentElement.dataset.theme = theme
    show()
  },
  'lineup.v1.miniapp.state'({ value }) {
    timer = at(value, Date.now())
    show()
  },
  'tool.call'({ name, action, call_id, arguments: args }) {
    const refusal = act(action, args)
    if (refusal) send('tool.result', { name, action, call_id, code: 'invalid_argument', result: { message: refusal } })
    else if (action === 'wait') waiting.set(call_id, { name, action, call_id })
    else send('tool.result', { name, action, call_id, result: told() })
    show()
  },
  // Nobody waits for this call any more.
  'tool.cancel'({ call_id }) {
    waiting.delete(call_id)
    show()
  },
  'system.ping'() {
    send('system.pong', {})
  },
}

addEventListener('message', ({ source, data }) => {
  if (source !== parent) return
  const { type, payload } = JSON.parse(data)
  receive[type]?.(payload)
})

// ---- what can be done -----------------------------------------------------------------------------

/** Carries out an action; returns why not, "" if it did. */
function act(action, args = {}) {
  const now = Date.now()
  timer = at(timer, now)
  if (action === 'start') timer = started(args, now)
  else if (!timer && action !== 'status' && action !== 'stop') return 'No timer runs: call start first.'
  else if (action === 'wait') return timer.endsAt > 0 ? '' : 'The timer is paused: call resume first.'
  else if (action === 'pause') timer = paused(timer, now)
  else if (action === 'resume') timer = resumed(timer, now)
  else if (action === 'stop') timer = null
  if (action !== 'status') send('lineup.v1.miniapp.state', { value: timer })
  if (action === 'start' || action === 'stop') answerWaiting()
  show()
  return ''
}

/** The phase that calls wait for is over. */
function answerWaiting() {
  for (const call of waiting.values()) send('tool.result', { ...call, result: told() })
  waiting.clear()
}

function tellWaiting() {
  const { message } = told()
  const progress = 1 - shareOf(timer, Date.now())
  for (const call_id of waiting.keys()) send('tool.progress', { call_id, progress, total: 1, message })
}

/** The result of every action: how the timer stands. */
function told() {
  if (!timer) return { message: 'No timer runs.', running: false }
  const { label, phase, round, rounds, endsAt } = timer
  const left = leftOf(timer, Date.now())
  const isRunning = endsAt > 0
  const message = `${clock(left)} of ${phase} ${round} of ${rounds} left${isRunning ? '' : ', paused'}.`
  return { message, running: isRunning, phase, round, rounds, left_seconds: Math.ceil(left / 1000), label }
}

// ---- what is seen ---------------------------------------------------------------------------------

function show() {
  const now = Date.now()
  const isRunning = timer !== null && timer.endsAt > 0
  document.body.className = timer ? timer.phase : 'idle'
  find('time').textContent = clock(timer ? leftOf(timer, now) : 25 * 60_000)
  find('phase').textContent = timer ? words[timer.phase](timer.round, timer.rounds) : words.idle
  find('label').textContent = timer?.label ? `“${timer.label}”` : ''
  find('waited').textContent = waiting.size > 0 ? words.waited : ''
  find('ring').style.strokeDasharray = `${timer ? ROUND * shareOf(timer, now) : ROUND} ${ROUND}`
  find('start').hidden = timer !== null
  find('pause').hidden = !isRunning
  find('resume').hidden = timer === null || isRunning
  find('stop').hidden = timer === null
  for (const name of ['start', 'pause', 'resume', 'stop']) find(name).lastElementChild.textContent = words[name]
}

for (const name of ['start', 'pause', 'resume', 'stop']) {
  find(name).addEventListener('click', () => {
    act(name)
    find(name === 'pause' ? 'resume' : name === 'stop' ? 'start' : 'pause').focus()
  })
}

setInterval(() => {
  const next = at(timer, Date.now())
  const before = find('time').textContent
  if (next !== timer) {
    timer = next
    find('news').textContent = timer ? words[timer.phase](timer.round, timer.rounds) : words.over
    send('lineup.v1.miniapp.state', { value: timer })
    answerWaiting()
  }
  show()
  // Once a second.
  if (timer && find('time').textContent !== before) tellWaiting()
}, 250)

show()
send('system.hello', { name: 'Pomodoro', version: '1.1.0' })
