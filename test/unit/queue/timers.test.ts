import { describe, expect, it, vi } from 'vitest'
import { pause, withTimeout } from '../../../src/queue/timers.ts'

describe('withTimeout', () => {
  it('gives what the work gives in time, and clears its timer', async () => {
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    const onTimeout = vi.fn(() => 'late')
    expect(await withTimeout(Promise.resolve('done'), 5, onTimeout)).toBe('done')
    expect(clear).toHaveBeenCalledOnce()
    await pause(10)
    expect(onTimeout).not.toHaveBeenCalled()
    clear.mockRestore()
  })

  it('rejects as the work does', async () => {
    await expect(withTimeout(Promise.reject(new RangeError('broken')), 50, () => null)).rejects.toThrow(
      RangeError,
    )
  })

  it('answers or throws as it is told when the time is up', async () => {
    expect(
      await withTimeout(
        pause(50).then(() => 'done'),
        5,
        () => 'late',
      ),
    ).toBe('late')
    const late = withTimeout(pause(50), 5, () => {
      throw new RangeError('too late')
    })
    await expect(late).rejects.toThrow(RangeError)
  })

  it('ignores a failure after the time is up', async () => {
    const failing = pause(10).then(() => Promise.reject(new RangeError('broken')))
    expect(await withTimeout(failing, 1, () => 'late')).toBe('late')
    await pause(20)
  })
})
