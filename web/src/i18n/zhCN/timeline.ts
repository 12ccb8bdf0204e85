import type { Messages } from '../en'

export const timeline: Messages['timeline'] = {
  log: '消息',
  new_pill: '{n} 条新消息',
  earlier: '显示更早的内容',
  show_options: '查看 {n} 个选项',
  hide_options: '收起选项',
  unfold: '展开整份报告',
  fold: '收起报告',
  entry: '{agent}，{time}',
  loading: '正在加载',
}
