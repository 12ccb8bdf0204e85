import type { Messages } from '../en'

export const markdown: Messages['markdown'] = {
  copy: '复制',
  done: '已完成',
  open: '未完成',
  picture: '加载来自 {host} 的图片',
  unfold: '显示全部 {n} 行',
  picture_failed: '在新标签页中打开图片',
}
