import type { Messages } from '../en'

export const asked: Messages['asked'] = {
  yes: '是',
  no: '否',
  secret_ph: '在这里输入，不会显示',
  secret_hint: '只交给 {agent} 一次，这台设备不会保存。',
  secret_sent: '机密内容，不显示',
  show: '显示输入的内容',
  hide: '隐藏输入的内容',
}
