import type { Messages } from '../en'

export const message: Messages['message'] = {
  write_ph: '给智能体写消息…',
  write_to: '给 {agent} 写消息…',
  recipient: '发给谁',
  too_long: '超出 {n} 个字符，上限 {limit}。',
  to_row: '发给',
  all: '所有智能体',
  to: '发给 {agent}',
  to_all: '发给所有智能体',
  some_agent: '智能体',
  waits: '已发送，等 {agent} 来取',
  has: '{agent} 已收到',
  taken: '{agent} 于 {time} 取走',
}
