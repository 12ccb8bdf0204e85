import type { Messages } from '../en'

export const pair: Messages['pair'] = {
  title: '添加设备',
  hint: '用一个二维码，仅可用一次，5 分钟内有效',
}
