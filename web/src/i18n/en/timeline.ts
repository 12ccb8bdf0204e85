export const timeline = {
  log: 'Messages',
  new_pill: '1 new | {n} new',
  earlier: 'Show earlier',
  show_options: 'Show 1 option | Show {n} options',
  hide_options: 'Hide options',
  unfold: 'Show the whole report',
  fold: 'Fold the report',
  entry: '{agent}, {time}',
  loading: 'Loading',
}
