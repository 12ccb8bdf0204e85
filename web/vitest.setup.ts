// What browsers have, jsdom lacks and Quasar asks for when it starts.
Object.defineProperty(globalThis.screen, 'orientation', {
  value: Object.assign(new EventTarget(), { type: 'portrait-primary', angle: 0 }),
})

if (typeof (globalThis as Partial<typeof globalThis>).matchMedia !== 'function') {
  Object.defineProperty(globalThis, 'matchMedia', {
    writable: true,
    value: (media: string) => Object.assign(new EventTarget(), { media, matches: false }),
  })
}
