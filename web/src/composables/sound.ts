interface Note {
  readonly hertz: number
  readonly startS: number
  readonly lengthS: number
  readonly gain: number
  readonly wave: OscillatorType
}

let context: AudioContext | null = null

function create(): void {
  if (typeof AudioContext === 'undefined') return
  context ??= new AudioContext()
  if (context.state === 'suspended') void context.resume()
}

/** Browsers let a page sound only after somebody touched it. */
export function unlockSound(): void {
  // Somebody may have touched it while this was on its way.
  if ((navigator as { userActivation?: UserActivation }).userActivation?.hasBeenActive) create()
  for (const type of ['pointerdown', 'keydown']) addEventListener(type, create, { once: true, passive: true })
}

/** Plays soft notes without a click at their ends. */
export function playTune(notes: readonly Note[]): void {
  if (context?.state !== 'running') return
  const now = context.currentTime
  for (const { hertz, startS, lengthS, gain, wave } of notes) {
    const [tone, volume] = [context.createOscillator(), context.createGain()]
    tone.type = wave
    tone.frequency.value = hertz
    volume.gain.setValueAtTime(0, now + startS)
    volume.gain.linearRampToValueAtTime(gain, now + startS + 0.012)
    volume.gain.linearRampToValueAtTime(0, now + startS + lengthS)
    tone.connect(volume).connect(context.destination)
    tone.start(now + startS)
    tone.stop(now + startS + lengthS)
  }
}
