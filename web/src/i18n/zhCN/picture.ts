import type { Messages } from '../en'

export const picture: Messages['picture'] = {
  viewer: '图片',
  open: '放大第 {n} 张图片',
  previous: '上一张图片',
  next: '下一张图片',
  zoom_in: '放大',
  zoom_out: '缩小',
}
