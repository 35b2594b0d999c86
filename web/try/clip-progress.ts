/** How far the check of a clip is, as far as that can be known. */
import { keep, readKept } from '../kept.ts'

export interface ClipSize {
  durationS: number
  /** Of a frame. */
  pixels: number
}

/** Decoding grows with the pixels; what networks see of a second is alike. */
const workOf = ({ durationS, pixels }: ClipSize): number => durationS * (1 + pixels / 1e6)

const rateKey = 'vivace-clip-rate'
/** Seconds for a unit of work on a small machine, until this browser has seen a clip checked. */
const firstRate = 1.5
/** Of a server that answers at once, as a sandbox does. */
const rateMin = 0.05

function readRate(): number | null {
  const rate = Number(readKept('localStorage', rateKey))
  return Number.isFinite(rate) && rate > 0 ? rate : null
}

/** From this share of the expected time on, the rest is halved again and again: nobody knows when the answer comes. */
const slowFrom = 0.8
const toShare = (part: number): number =>
  part < slowFrom ? part : 1 - (1 - slowFrom) * Math.exp(-(part - slowFrom) / (1 - slowFrom))
const shareMax = 0.99

export interface ClipState {
  /** Share of the bytes. */
  sent: number
  /** Of all, 0…1, never less than before; `null` if it is unknown. */
  share: number | null
  /** Seconds until the answer; `null` if unknown. */
  leftS: number | null
  /** Whether the answer should have been there. */
  isLate: boolean
}

export class ClipProgress {
  /** `null` for a clip that the browser cannot open. */
  size: ClipSize | null = null
  readonly #startMs: number
  readonly #rate = readRate() ?? firstRate
  #sent = 0
  #sentMs: number | null = null
  #share = 0

  constructor(nowMs: number) {
    this.#startMs = nowMs
  }

  /** @param share of the bytes that have been sent */
  send(share: number, nowMs: number): void {
    this.#sent = share
    if (share >= 1) this.#sentMs ??= nowMs
  }

  at(nowMs: number): ClipState {
    const isSending = this.#sentMs === null
    const sendS = ((this.#sentMs ?? nowMs) - this.#startMs) / 1000
    const checkS = this.size && this.#rate * workOf(this.size)
    const sent = this.#sent
    if (checkS === null) return { sent, share: null, leftS: null, isLate: false }
    if (sent === 0) return { sent, share: 0, leftS: null, isLate: false }
    const [wholeSendS, checkedS] = isSending ? [sendS / sent, 0] : [sendS, (nowMs - this.#sentMs!) / 1000]
    const done = (sendS + checkS * toShare(checkedS / checkS)) / (wholeSendS + checkS)
    this.#share = Math.max(this.#share, Math.min(done, shareMax))
    const isLate = checkedS >= checkS
    const leftS = isLate ? null : wholeSendS - sendS + checkS - checkedS
    return { sent, share: this.#share, leftS, isLate }
  }

  /** Learns from an answer, for the next clip. */
  answer(nowMs: number): void {
    if (!this.size || this.#sentMs === null) return
    const rate = Math.max((nowMs - this.#sentMs) / 1000 / workOf(this.size), rateMin)
    const before = readRate()
    keep('localStorage', rateKey, String(before === null ? rate : (before + rate) / 2))
  }
}

/** Seconds as they are told: those of a guess have no fives and ones. */
export const roundLeft = (leftS: number): number =>
  leftS <= 10 ? Math.max(1, Math.ceil(leftS)) : Math.ceil(leftS / 5) * 5
