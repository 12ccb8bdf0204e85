export const signin = {
  title: 'Sign in to LineUp',
  signed_out: 'This device is signed out',
  hint: 'Open the link that the relay printed, scan a new code, or paste the token here.',
  token: 'Token',
  submit: 'Sign in',
  refused: 'The relay did not accept this token.',
}

export const first = {
  title: 'Connect your first agent',
  sub: 'No agent has used this token yet. Every device you add sees the same questions. The first answer counts.',
  step1: 'The relay is running',
  step1_note: 'On {host}. It keeps what you send.',
  step1_wait: 'Connecting to {host}…',
  step2: 'Connect your coding agent',
  step2_note: 'Run this once where LineUp is installed, then start a new session. After make install the program is .venv/bin/lineup-mcp.',
  step3: 'Let it ask you something',
  step3_note: 'Tell it, for example:',
  example: 'Ask me on LineUp what to do first.',
  copy_command: 'Copy command',
  copy_text: 'Copy text',
  program: 'Agent program',
  more: 'More',
}
