export const picture = {
  viewer: 'Pictures',
  open: 'Show picture {n} large',
  previous: 'Previous picture',
  next: 'Next picture',
  zoom_in: 'Zoom in',
  zoom_out: 'Zoom out',
}
