export const transcript = {
  answer: 'Answer',
  answer_by: 'Answer ({about})',
  waiting: 'Waits for an answer',
  you: 'You',
  file: 'File',
}
