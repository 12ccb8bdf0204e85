import { defineAsyncComponent, type AsyncComponentLoader, type Component } from 'vue'

import { isNotLoaded } from '../protocol/notLoaded'
import { useMissing } from '../stores/missing'

/** A component that is loaded when it is first shown. If it does not come, its place stays empty until it is loaded again. */
export function lazyPart<T extends Component>(loader: AsyncComponentLoader<T>): T {
  return defineAsyncComponent<T>({
    loader,
    onError: (error, retry, fail) => {
      if (isNotLoaded(error)) useMissing().noteHole(retry)
      else fail()
    },
  })
}
