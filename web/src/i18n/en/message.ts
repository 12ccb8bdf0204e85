export const message = {
  write_ph: 'Write to an agent…',
  write_to: 'Write to {agent}…',
  recipient: 'Whom it goes to',
  too_long: 'Too long by {n} characters; the limit is {limit}.',
  to_row: 'To',
  all: 'all agents',
  to: 'To {agent}',
  to_all: 'To all agents',
  some_agent: 'an agent',
  waits: 'Sent, waits for {agent}',
  has: '{agent} has it',
  taken: '{agent} took it at {time}',
}
