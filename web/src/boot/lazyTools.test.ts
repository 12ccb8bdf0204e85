import { expect, test, vi } from 'vitest'

import { LazyTools } from './lazyTools'
import type { ToolControl } from './tools'

function control(): ToolControl {
  return { called: vi.fn(), told: vi.fn(), heard: vi.fn(() => true), online: vi.fn(), announce: vi.fn(), refused: vi.fn() }
}

test('tools are loaded once, and what came before waits for them', async () => {
  const one = control()
  const load = vi.fn(() => Promise.resolve(one))
  const tools = new LazyTools(load)
  expect(tools.ask(({ heard }) => heard({} as never), false)).toBe(false)
  tools.with(({ online }) => {
    online()
  })
  tools.with(({ announce }) => {
    announce()
  })
  await vi.waitFor(() => {
    expect(one.announce).toHaveBeenCalledTimes(1)
  })
  expect(one.online).toHaveBeenCalledTimes(1)
  expect(load).toHaveBeenCalledTimes(1)
  expect(tools.ask(({ heard }) => heard({} as never), false)).toBe(true)
})

test('when they could not be loaded the next wish loads them', async () => {
  const one = control()
  const load = vi.fn<() => Promise<ToolControl>>().mockRejectedValueOnce(new TypeError('offline')).mockResolvedValue(one)
  const tools = new LazyTools(load)
  const wish = ({ online }: ToolControl) => {
    online()
  }
  tools.with(wish)
  await vi.waitFor(() => {
    tools.with(wish)
    expect(one.online).toHaveBeenCalled()
  })
  expect(load).toHaveBeenCalledTimes(2)
})

test('another room loads its own', async () => {
  const load = vi.fn(() => Promise.resolve(control()))
  const tools = new LazyTools(load)
  tools.with(() => undefined)
  await Promise.resolve()
  tools.reset()
  expect(tools.ask(() => true, false)).toBe(false)
  tools.with(() => undefined)
  expect(load).toHaveBeenCalledTimes(2)
})
