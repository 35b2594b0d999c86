import { pause } from '../../../src/queue/timers.ts'
import { addressOf, call, json } from './call.ts'
import { busyTimes } from './limits.ts'
import type { Scenario } from './scenario.ts'

const atOnce = 150
const path = '/api/authorize/auth'
/** On a machine without other load. */
const medianMaxMs = 1000
/** A guess that the full queue refused comes again, so that the limits are reached whatever the machine does. */
const triesMax = 100
const againMs = 300
/** What may be guessed in 15 minutes; see `SignInLimit`. */
const guessesMax = { address: 200, pair: 10, account: 50, pairUnderAttack: 3 }
/** Guesses per address at the account of the owner: fewer than a pair may have, so that only the limit of the account refuses some. */
const guessesEach = 9

const credentials = (email: string, password: string) => json({ credentials: { email, password } })

type Counts = Record<string, number>

interface Flood {
  name: string
  guesses: number
  /** Wrong passwords that may be told as such; `null` where each guess could be an honest one. */
  wrongMax: number | null
  of(i: number): { email: string; from: string }
}

function floodsOf(owner: string, isSample: boolean): Flood[] {
  const addresses = isSample ? 12 : 30
  return [
    {
      name: 'one address, one account',
      guesses: atOnce,
      wrongMax: guessesMax.pair,
      of: () => ({ email: 'guessed@vivace.test', from: addressOf(500) }),
    },
    // Two hundred checks of passwords take too long for a sample.
    ...(isSample
      ? []
      : [
          {
            name: 'one address, many accounts',
            guesses: guessesMax.address + 20,
            wrongMax: guessesMax.address,
            of: (i: number) => ({ email: `nobody${i}@vivace.test`, from: addressOf(501) }),
          },
        ]),
    {
      name: 'many addresses, many accounts',
      guesses: isSample ? 30 : 3 * atOnce,
      wrongMax: null,
      of: (i) => ({ email: `no${i}@vivace.test`, from: addressOf(i) }),
    },
    {
      name: 'many addresses, the account of the owner',
      guesses: addresses * guessesEach,
      wrongMax: guessesMax.account + addresses * guessesMax.pairUnderAttack,
      of: (i) => ({ email: owner, from: addressOf(600 + (i % addresses)) }),
    },
  ]
}

/** Sends guesses, at most `atOnce` at a time. @returns how often each status was answered */
async function send(url: string, { guesses, of }: Flood): Promise<Counts> {
  const counts: Counts = {}
  let next = 0
  const guess = async (i: number) => {
    const { email, from } = of(i)
    for (let tries = 1; ; tries++) {
      const { status } = await call(url, { path, from, ...credentials(email, 'a wrong password') })
      counts[status] = (counts[status] ?? 0) + 1
      if (status !== 503 || tries === triesMax) return
      await pause(againMs)
    }
  }
  const guesser = async () => {
    while (next < guesses) await guess(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, guesser))
  return counts
}

/** Whether the limit was reached and held: more guesses were answered than it allows, and not more of them as wrong. */
function isLimited({ wrongMax }: Flood, counts: Counts): boolean {
  const wrong = counts['401'] ?? 0
  const isRefusal = Object.keys(counts).every((status) => ['401', '429', '503'].includes(status))
  return isRefusal && (wrongMax === null || (wrong <= wrongMax && wrong + (counts['429'] ?? 0) > wrongMax))
}

/** Wrong passwords by the hundred, from one address and from many, while the owner of an account signs in from where it has signed in before. */
export const manySignIns: Scenario = async (url, tools) => {
  const owner = { email: 'root@vivace.test', password: 'correct horse battery' }
  const right = credentials(owner.email, owner.password)
  const signIn = async () => (await call(url, { path, from: addressOf(777), ...right })).status === 200
  await signIn()
  const statuses: Record<string, Counts> = {}
  let isBounded = true
  const honest = await tools.whileHonest(async () => {
    for (const flood of floodsOf(owner.email, tools.isSample)) {
      const counts = await send(url, flood)
      statuses[flood.name] = counts
      isBounded &&= isLimited(flood, counts)
    }
  }, signIn)
  return {
    name: 'a hundred and fifty sign-ins at once',
    isHeld: isBounded && honest.refused === 0,
    isInTime: honest.medianMs <= medianMaxMs * busyTimes(tools.loadPerProcessor),
    facts: { honest, statuses },
  }
}
