// A MiniApp speaks with the page around it by JSON texts: {"v": 1, "id", "type", "payload"}.
const WORDS = {
  en: { hello: (whom) => `Hello, ${whom}!`, back: 'Welcome back.', count: 'Greetings so far' },
  'zh-CN': { hello: (whom) => `你好，${whom}！`, back: '欢迎回来。', count: '问候次数' },
}
let words = WORDS.en
let sent = 0
let greetings = 0

function send(type, payload) {
  sent += 1
  parent.postMessage(JSON.stringify({ v: 1, id: `hello-${sent}`, type, payload }), '*')
}

function show(text) {
  document.getElementById('greeting').textContent = text
  document.getElementById('count').textContent = `${words.count}: ${greetings}`
}

const receive = {
  // The answer to every hello, and again when the human changes language or theme.
  'system.hello'({ locale, theme }) {
    words = WORDS[locale] ?? WORDS.en
    document.documentElement.lang = locale
    document.documentElement.style.colorScheme = theme
  },
  // What was kept last time comes after that; null at first.
  'lineup.v1.miniapp.state'({ value }) {
    greetings = value?.greetings ?? 0
    if (greetings > 0) show(words.back)
  },
  // An agent calls one of the actions of the manifest. Every call has one result.
  'tool.call'({ name, action, call_id, arguments: { name: whom } }) {
    greetings += 1
    show(words.hello(whom))
    send('lineup.v1.miniapp.state', { value: { greetings } })
    send('tool.result', { name, action, call_id, result: { message: `Greeted ${whom}`, greetings } })
  },
  // While a call runs the page asks for a sign of life.
  'system.ping'() {
    send('system.pong', {})
  },
}

addEventListener('message', ({ source, data }) => {
  if (source !== parent) return
  const { type, payload } = JSON.parse(data)
  receive[type]?.(payload)
})

// Within ten seconds of its start.
send('system.hello', { name: 'Hello', version: '1.1.0' })
