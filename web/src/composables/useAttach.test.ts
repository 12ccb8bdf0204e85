import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'

import { useAttachments } from '../stores/attachments'
import { useAttach } from './useAttach'

beforeEach(() => {
  setActivePinia(createPinia())
})

function names(requestId: string): string[] {
  return useAttachments().of(requestId).map(({ name }) => name)
}

test('what was chosen first stands first, however long it takes to read', async () => {
  const { take } = useAttach()
  const slow = new File(['slow'], 'screen.png', { type: 'text/plain' })
  let read: (bytes: ArrayBuffer) => void = () => undefined
  const reading = new Promise<ArrayBuffer>((resolve) => {
    read = resolve
  })
  slow.arrayBuffer = async () => reading
  const taken = [take('r1', [slow]), take('r1', [new File(['quick'], 'build.log')])]
  await Promise.resolve()
  read(new TextEncoder().encode('slow').buffer)
  await Promise.all(taken)
  expect(names('r1')).toEqual(['screen.png', 'build.log'])
})

test('files of one moment stay in their order after a reload', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(1_000)
  await useAttach().take('r1', [new File(['a'], 'a'), new File(['b'], 'b')])
  expect(useAttachments().of('r1').map(({ atMs }) => atMs)).toEqual([1_000, 1_001])
  vi.restoreAllMocks()
})

test('files that cannot be taken do not hold up the next ones', async () => {
  const { take } = useAttach()
  const attachments = useAttachments()
  const refuse = vi.spyOn(attachments, 'refuse').mockImplementationOnce(() => {
    throw new Error('out of reach')
  })
  await expect(take('r1', [])).rejects.toThrow('out of reach')
  await take('r1', [new File(['b'], 'b')])
  expect(names('r1')).toEqual(['b'])
  refuse.mockRestore()
})
