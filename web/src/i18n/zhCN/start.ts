import type { Messages } from '../en'

export const signin: Messages['signin'] = {
  title: '登录 LineUp',
  signed_out: '此设备已退出登录',
  hint: '打开中继给出的链接、扫描新的二维码，或在这里粘贴令牌。',
  token: '令牌',
  submit: '登录',
  refused: '中继不接受这个令牌。',
}

export const first: Messages['first'] = {
  title: '连接第一个智能体',
  sub: '还没有智能体用过这个令牌。添加的每台设备都会看到同样的问题，先答复的有效。',
  step1: '中继已启动',
  step1_note: '位于 {host}，会保存你发送的内容。',
  step1_wait: '正在连接 {host}…',
  step2: '连接你的编程智能体',
  step2_note: '在安装了 LineUp 的地方运行一次，然后开始新会话。运行 make install 后，程序位于 .venv/bin/lineup-mcp。',
  step3: '让它问你一个问题',
  step3_note: '例如告诉它：',
  example: '用 LineUp 问我先做什么。',
  copy_command: '复制命令',
  copy_text: '复制文字',
  program: '智能体程序',
  more: '更多',
}
