const WORDS = {
  en: {
    idle: 'Ready',
    focus: (round, rounds) => `Focus ${round} of ${rounds}`,
    break: (round, rounds) => `Break after ${round} of ${rounds}`,
    over: 'All rounds are done',
    waited: 'An agent waits for the end',
    start: 'Start',
    pause: 'Pause',
    resume: 'Resume',
    stop: 'Stop',
  },
  zh: {
    idle: '准备好了',
    focus: (round, rounds) => `专注 ${round}/${rounds}`,
    break: (round, rounds) => `休息 ${round}/${rounds}`,
    over: '全部完成',
    waited: '智能体在等待结束',
    start: '开始',
    pause: '暂停',
    resume: '继续',
    stop: '结束',
  },
}

/** The texts for a language; English where there are none. */
export function wordsFor(locale) {
  return WORDS[locale.slice(0, 2)] ?? WORDS.en
}
