import type { Messages } from '../en'

export const agents: Messages['agents'] = {
  idle: '空闲',
  section_idle: '空闲',
  messages: '有 {n} 条消息等它来取',
  waits: '等你答复 · {time}',
  waits_since: '从 {time} 起',
  queued: '答复待发送',
  calls: '等待 {tool} · {time}',
  calls_tool: '等待 {tool}',
  working: '工作中',
  gone: '{time} 离开',
  section_waiting: '等你答复',
  section_working: '工作中',
  section_gone: '已离开',
  heard: '上次调用',
  now: '刚刚',
}

export const devices: Messages['devices'] = {
  title: '设备',
  online: '{names} 在线',
  only_this: '只有本设备在线',
  online_more: '{name} 和另外 {n} 台在线',
  this: '本设备',
  this_pc: '本机',
  this_phone: '这部手机',
  of_online: '{m} 台设备中 {n} 台在线',
  is_online: '在线',
  is_offline: '离线',
  last_seen: '上次在线：{time}',
  connected: '已连接',
  not_connected: '未连接',
}

export const chat: Messages['chat'] = {
  title: '聊天',
  open: '与 {device} 聊天，在线',
  open_away: '与 {device} 聊天，离线',
  with: '与 {device} 聊天',
  someone: '设备',
  note: '聊天不会保存',
  note_away: '离线；聊天不会保存',
  empty: '这里写的内容只发给 {device}。',
  placeholder: '发给 {device} 的消息…',
  delivered: '已送达',
  failed: '未送达',
  retry: '重试',
  to_reply: '放入答复',
  close: '关闭聊天',
}
