import type { Messages } from '../en'

export const markdown: Messages['markdown'] = {
  copy: '复制',
  done: '已完成',
  open: '未完成',
  picture: '加载来自 {host} 的图片',
  unfold: '显示全部 {n} 行',
  picture_failed: '在新标签页中打开图片',
  zoom: '查看大图',
  diagram: '图表：查看大图',
  diagram_show: '显示图表',
  diagram_drawing: '正在绘制…',
  diagram_source: '显示源码',
  diagram_failed: '无法绘制此图表：{reason}',
  diagram_not_loaded: '绘图程序未能加载，连接恢复后请重试。',
}
