/** What the log says of telemetry that is refused: members of the contract, and a star for names of the caller. */
import { describe, expect, it } from 'vitest'
import { parseDeviceSettings, parseReport } from '../../../src/contract/full/telemetry-bodies.ts'
import type { AppError } from '../../../src/errors.ts'

function refusalOf(read: () => unknown): AppError {
  try {
    read()
  } catch (error) {
    return error as AppError
  }
  throw new Error('nothing was refused')
}

const event = (members: object) => ({ event: 'shown', ...members })
const long = 'many words '.repeat(500)

describe('telemetry that is refused', () => {
  it.each<[object, string, string]>([
    [{ events: [event({}), event({ own: { email: 'a' } })] }, 'events.1.own.email', 'events.1.*'],
    [{ events: [event({ '870412300123': { phone: '1' } })] }, 'events.0.870412300123.phone', 'events.0.*'],
    [{ events: [event({ timestamp: 1e300 })] }, 'events.0.timestamp', 'events.0.timestamp'],
    [{ events: [event({ a: 'x'.repeat(900), b: long })] }, 'events.0', 'events.0'],
    [{ device: { username: 'Ada' } }, 'device.username', 'device.*'],
    [{ device: { a: long, b: long } }, 'device', 'device'],
  ])('%j', (body, keyPath, place) => {
    const refused = refusalOf(() => parseReport(body as Record<string, unknown>))
    expect([refused.details, refused.place]).toEqual([expect.objectContaining({ key_path: keyPath }), place])
  })

  it('settings of a device that are too long', () => {
    const settings = { a: long.repeat(4) }
    expect(refusalOf(() => parseDeviceSettings({ model: 'A*', settings })).place).toBe('settings')
  })
})
