import type { Messages } from '../en'

export const app: Messages['app'] = { name: 'LineUp', skip: '跳到问题', people: '智能体与设备' }

export const nav: Messages['nav'] = {
  timeline: '时间线',
  tools: '工具',
  settings: '设置',
  agents: '智能体',
  menu: '智能体与设备',
  more: '更多',
  back: '返回',
  add_device: '添加设备',
  none_yet: '还没有',
}

export const banner: Messages['banner'] = {
  connecting: '正在连接…',
  reconnecting: '{n} 秒后重连。',
  reconnecting_now: '正在重连…',
  offline: '{time} 起离线。答复先保存在这里，联网后自动发送。',
  queued: '{n} 条答复待发送。',
  missing: '在此之前，页面的一部分无法显示。',
  retry: '重试',
  offline_since: '{time} 起离线',
  no_connection: '没有连接。连接恢复后，你的问题会回来。',
  waiting_here: '等待发送',
  offline_short: '{time} 起离线。',
  update_ready: '新版本已就绪。草稿和待发送的答复都会保留。',
  page_older: '页面版本比中继旧（{page} / {relay}）。',
  page_newer: '页面版本比中继新（{page} / {relay}），部分功能可能不可用。',
  reload: '重新加载',
}

export const time: Messages['time'] = {
  hm: '{h} 小时 {m} 分',
  dh: '{d} 天 {h} 小时',
  seconds: '{n} 秒',
  minutes: '{n} 分钟',
  hours: '{n} 小时',
  days: '{n} 天',
}

export const common: Messages['common'] = { cancel: '取消', comma: '、', copied: '已复制', copy_fail: '无法复制，请手动选择文字。' }
