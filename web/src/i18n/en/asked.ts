export const asked = {
  yes: 'Yes',
  no: 'No',
  secret_ph: 'Type it here, hidden',
  secret_hint: 'Goes to {agent} once. This device does not keep it.',
  secret_sent: 'A secret, not shown',
  show: 'Show what is typed',
  hide: 'Hide what is typed',
}
