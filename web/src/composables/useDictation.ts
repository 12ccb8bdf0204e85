import { onScopeDispose, ref } from 'vue'

interface Recognition {
  lang: string
  continuous: boolean
  interimResults: boolean
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null
  onerror: (() => void) | null
  start: () => void
  stop: () => void
  abort: () => void
}

type RecognitionClass = new () => Recognition

function recognition(): RecognitionClass | undefined {
  const scope = window as unknown as Record<string, RecognitionClass | undefined>
  return scope.SpeechRecognition ?? scope.webkitSpeechRecognition
}

export function canDictate(): boolean {
  return recognition() !== undefined && window.isSecureContext
}

/** Speech to text by the browser. */
export function useDictation() {
  const text = ref('')
  let running: Recognition | null = null

  function start(language: string, onError: () => void): void {
    const Recognizer = recognition()
    if (!Recognizer) return
    running = new Recognizer()
    running.lang = language
    running.continuous = true
    running.interimResults = true
    running.onresult = ({ results }) => {
      text.value = Array.from(results, (result) => result[0]?.transcript ?? '').join('').trim()
    }
    running.onerror = onError
    running.start()
  }

  onScopeDispose(() => {
    running?.abort()
  })
  return { text, start }
}
