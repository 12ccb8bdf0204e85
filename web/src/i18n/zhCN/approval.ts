import type { Messages } from '../en'

export const approval: Messages['approval'] = {
  title: '允许执行这个命令吗？',
  wants_run: '{agent} 想执行',
  wants_use: '{agent} 想使用 {tool}',
  why: '原因',
  quote: '“{text}”',
  tool: '工具',
  folder: '目录',
  machine: '主机',
  stop: '；',
  edit: '修改命令',
  edit_label: '改为执行的命令',
  show_change: '查看改动',
  change: '你的改动',
  as_asked: '恢复原样',
  note_ph: '给智能体的附言（可不填）',
  allow_once: '允许一次',
  allow_session: '本次会话都允许',
  allow_edited: '允许修改后的命令',
  deny: '拒绝',
  deny_note: '附言拒绝',
  hint: '在你选择之前不会执行，选择后不能收回；超时按拒绝处理。',
}

export const decided: Messages['decided'] = { allow_once: '已允许一次', allow_session: '本次会话都已允许', deny: '已拒绝' }

export const risk: Messages['risk'] = {
  rights: '以管理员权限执行',
  deletes: '会删除文件',
  overwrites: '会覆盖共享分支',
  discards: '会丢弃改动',
  skips: '跳过检查',
  runs: '会执行另一个程序的输出',
  database: '会删除数据库中的数据',
  disk: '直接写入磁盘',
  opens: '向他人开放文件',
  stops: '会停止程序或机器',
  outside: '会更改本机之外的内容',
  secrets: '涉及密钥或机密',
  hidden: '含有看不见的字符',
}
