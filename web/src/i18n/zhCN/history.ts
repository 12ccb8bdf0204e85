import type { Messages } from '../en'

export const transcript: Messages['transcript'] = {
  answer: '答复',
  answer_by: '答复（{about}）',
  waiting: '等待答复',
  you: '你',
  file: '文件',
}
