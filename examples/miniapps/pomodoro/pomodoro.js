import { at, clock, leftOf, paused, resumed, shareOf, started } from './timer.js'
import { wordsFor } from './words.js'

const ROUND = 2 * Math.PI * 54
const find = (id) => document.getElementById(id)

let timer = null
let words = wordsFor('en')
let sent = 0

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
    const answer = refusal ? { code: 'invalid_argument', result: { message: refusal } } : { result: told() }
    send('tool.result', { name, action, call_id, ...answer })
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
  else if (action === 'pause') timer = paused(timer, now)
  else if (action === 'resume') timer = resumed(timer, now)
  else if (action === 'stop') timer = null
  if (action !== 'status') send('lineup.v1.miniapp.state', { value: timer })
  show()
  return ''
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
  if (next !== timer) {
    timer = next
    find('news').textContent = timer ? words[timer.phase](timer.round, timer.rounds) : words.over
    send('lineup.v1.miniapp.state', { value: timer })
  }
  show()
}, 250)

show()
send('system.hello', { name: 'Pomodoro', version: '1.0.0' })
