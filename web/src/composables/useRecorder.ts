import { onScopeDispose, ref } from 'vue'

/** What browsers can record, best first for those who listen and transcribe. */
const TYPES = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus']

/** Whether this browser can record here; plain http pages get no microphone. */
export function canRecord(): boolean {
  return window.isSecureContext && typeof MediaRecorder !== 'undefined'
}

/** Records from the microphone, from `start` until `stop`; nothing is kept after a cancel. */
export function useRecorder() {
  const seconds = ref(0)
  let recorder: MediaRecorder | null = null
  let timer: ReturnType<typeof setInterval> | undefined

  /** False if the microphone is not there or not allowed. */
  async function start(): Promise<boolean> {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type))
      recorder = new MediaRecorder(stream, mimeType ? { mimeType } : {})
      recorder.start()
      timer = setInterval(() => {
        seconds.value += 1
      }, 1000)
      return true
    } catch {
      return false
    }
  }

  async function stop(): Promise<Blob | null> {
    const running = recorder
    if (!running) return null
    const done = new Promise<Blob>((resolve) => {
      running.ondataavailable = ({ data }) => {
        resolve(data)
      }
    })
    running.stop()
    const blob = await done
    release()
    return blob
  }

  function release(): void {
    clearInterval(timer)
    for (const track of recorder?.stream.getTracks() ?? []) track.stop()
    recorder = null
  }

  onScopeDispose(release)
  return { seconds, start, stop }
}
