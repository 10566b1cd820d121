import { afterEach, describe, expect, it, vi } from 'vitest'
import { notify } from '../src/notify.js'

afterEach(() => void vi.restoreAllMocks())

describe('notify', () => {
  const failure = new Error('The hook failed.')

  it('calls the hook, and creates no event if there is no hook', () => {
    const hook = vi.fn()
    notify(hook, () => 'event')
    expect(hook.mock.calls).toEqual([['event']])
    const make = vi.fn()
    notify(undefined, make)
    expect(make).not.toHaveBeenCalled()
  })

  it.each([
    [
      'throws',
      () => {
        throw failure
      },
    ],
    ['rejects', async () => Promise.reject(failure)],
  ])('if a hook %s, its error is printed', async (_what, hook) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    notify(hook, () => 'event')
    await vi.waitFor(() => expect(printed).toHaveBeenCalledWith(expect.stringContaining('A hook of'), failure))
  })
})
