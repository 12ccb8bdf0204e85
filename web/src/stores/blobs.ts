/** Bytes kept in this browser. IndexedDB may be missing, full or forbidden: nothing here throws. */

const NAME = 'lineup'
const STORE = 'blobs'

async function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(NAME, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
    opening.onsuccess = () => {
      resolve(opening.result)
    }
    opening.onerror = opening.onblocked = () => {
      reject(new Error('no database'))
    }
  })
}

async function work<T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
  try {
    const open = await database()
    return await new Promise<T | null>((resolve) => {
      const asked = run(open.transaction(STORE, mode).objectStore(STORE))
      asked.onsuccess = () => {
        resolve(asked.result)
        open.close()
      }
      asked.onerror = () => {
        resolve(null)
        open.close()
      }
    })
  } catch {
    return null
  }
}

/** All values whose keys start with `start`. */
export async function readBlobs(start: string): Promise<unknown[]> {
  const range = rangeOf(start)
  if (!range) return []
  return (await work<unknown[]>('readonly', (store) => store.getAll(range))) ?? []
}

export async function writeBlob(key: string, value: unknown): Promise<void> {
  await work('readwrite', (store) => store.put(value, key))
}

export async function deleteBlobs(start: string): Promise<void> {
  const range = rangeOf(start)
  if (range) await work('readwrite', (store) => store.delete(range))
}

function rangeOf(start: string): IDBKeyRange | null {
  return typeof IDBKeyRange === 'undefined' ? null : IDBKeyRange.bound(start, `${start}\uffff`)
}
