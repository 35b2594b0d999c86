/** One attack on a running server, and the guarantees during it. */
import type { Account, Service } from '../service.ts'

/** The experience of an honest caller during an attack: requests with a token, one at a time, with pauses. */
export interface Honest {
  calls: number
  /** Calls that were not answered as on a quiet server. */
  refused: number
  medianMs: number
  worstMs: number
}

export interface Tools {
  /** The attacked server; Instant and Lite take anonymous calls, webhooks may go to this machine. */
  service: Service
  admin: Account
  /** A few seconds of the attack only, for each change of the code. */
  isSample: boolean
  /** Median of the honest caller on the quiet server, in ms. */
  quietMs: number
  /** What else the machine does, 1 where each processor has one thing to do. */
  loadPerProcessor: number
  /** Resident memory of the server, in MB of 2^20 bytes. */
  memoryMegabytes(): Promise<number>
  /** Runs the honest caller beside an attack until that ends. @param call what it does instead of sending a photo with its token */
  whileHonest(attack: () => Promise<unknown>, call?: () => Promise<boolean>): Promise<Honest>
  /** Whether the honest caller, in the median, waited no longer than `honestMaxMs`. */
  isServedInTime(honest: Honest): boolean
  /** The same where the attackers themselves keep the machine busy: within `crowdedMaxMs`. */
  isServedInTimeBesideCrowd(honest: Honest): boolean
}

export interface Outcome {
  name: string
  /** Everything that does not depend on time: nothing lost, refused to the honest, failed or kept in memory. */
  isHeld: boolean
  /** Whether the honest were served in time. Other work on the machine may delay them once, an attack does so each time. */
  isInTime: boolean
  /** The measurements as text. */
  facts: Readonly<Record<string, unknown>>
}

/** @param url address of the attacked server, without a slash at the end */
export type Scenario = (url: string, tools: Tools) => Promise<Outcome>
