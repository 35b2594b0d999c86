/** Links that open the page `/capture` for one purpose. */
import type { Metadata } from './medium.ts'

/** What a link asks for. */
export const captureModes = ['clip', 'photo', 'document'] as const
export type CaptureMode = (typeof captureModes)[number]

/** A folder that came by a link. */
export interface LinkedFolder {
  id: string
  /** When its analyses had ended and no person had to decide; `null` until then. */
  decidedAtMs: number | null
}

export interface CaptureLink {
  id: string
  companyId: string
  /** Who made it: the author of its folders. */
  userId: string
  mode: CaptureMode
  /** As a payload has them. */
  analyses: readonly Metadata[]
  /** Of its folders. Empty once the link is used up or withdrawn: the folders have it. */
  metadata: Metadata
  /** Of the page; `null` for that of the browser. */
  language: string | null
  /** What the person agrees to before the camera opens, with its SHA-256 as hexadecimal digits. */
  consent: { text: string; sha256: string } | null
  /** Where the page leads afterwards; `null` once the link is used up or withdrawn. */
  returnUrl: string | null
  resolutionEndpoint: string | null
  /** Where its states are told; `null` once the link is used up and decided, or withdrawn. */
  stateEndpoint: string | null
  /** How many captures it takes. */
  uses: number
  /** How many it has taken. */
  used: number
  createdAtMs: number
  expiresAtMs: number
  openedAtMs: number | null
  /** When it took the last capture so far. */
  capturedAtMs: number | null
  withdrawnAtMs: number | null
  folders: readonly LinkedFolder[]
}

export const pageLanguages = ['en', 'de', 'ru', 'es'] as const

export const linkStates = ['sent', 'opened', 'captured', 'decided', 'expired', 'withdrawn'] as const
export type LinkState = (typeof linkStates)[number]

/** Why a link takes no capture any more; `null` while it does. */
export function endOfLink(
  { uses, used, withdrawnAtMs, expiresAtMs }: CaptureLink,
  nowMs: number,
): 'captured' | 'withdrawn' | 'expired' | null {
  if (used >= uses) return 'captured'
  if (withdrawnAtMs !== null) return 'withdrawn'
  return expiresAtMs <= nowMs ? 'expired' : null
}

/** When the last of its folders was decided; `null` while one is not, or there is none. */
export function decidedAtMs({ folders }: CaptureLink): number | null {
  const times = folders.map((folder) => folder.decidedAtMs ?? Number.POSITIVE_INFINITY)
  const last = Math.max(...times)
  return Number.isFinite(last) ? last : null
}

/** How far a link is: its end, or else what has come of it. */
export function linkState(link: CaptureLink, nowMs: number): LinkState {
  const end = endOfLink(link, nowMs)
  if (end === 'withdrawn' || end === 'expired') return end
  if (link.used > 0) return decidedAtMs(link) === null ? 'captured' : 'decided'
  return link.openedAtMs === null ? 'sent' : 'opened'
}
