import { describe, expect, it } from 'vitest'
import { type CaptureLink, linkState } from '../../../src/records/capture-link.ts'

const link: CaptureLink = {
  id: 'link-1',
  companyId: 'company-1',
  userId: 'user-1',
  mode: 'clip',
  analyses: [],
  metadata: {},
  language: null,
  consent: null,
  returnUrl: null,
  resolutionEndpoint: null,
  stateEndpoint: null,
  uses: 2,
  used: 0,
  createdAtMs: 0,
  expiresAtMs: 100,
  openedAtMs: null,
  capturedAtMs: null,
  withdrawnAtMs: null,
  folders: [],
}
const waiting = { id: 'folder-1', decidedAtMs: null }
const decided = { id: 'folder-2', decidedAtMs: 7 }

describe('linkState', () => {
  it.each<[state: string, change: Partial<CaptureLink>, nowMs: number]>([
    ['sent', {}, 50],
    ['opened', { openedAtMs: 1 }, 50],
    ['captured', { used: 1, folders: [waiting] }, 50],
    ['captured', { used: 2, folders: [decided, waiting] }, 50],
    ['decided', { used: 1, folders: [decided] }, 50],
    ['expired', { openedAtMs: 1 }, 100],
    ['expired', { used: 1, folders: [decided] }, 100],
    ['decided', { used: 2, folders: [decided, decided] }, 100],
    ['withdrawn', { withdrawnAtMs: 9, used: 1, folders: [decided] }, 100],
    // Its folder was removed.
    ['captured', { used: 2 }, 100],
  ])('is %s for %j at %i', (state, change, nowMs) => {
    expect(linkState({ ...link, ...change }, nowMs)).toBe(state)
  })
})
