import { addressOf, call, json } from './call.ts'
import type { Scenario } from './scenario.ts'

const atOnce = 150
const path = '/api/authorize/auth'
const medianMaxMs = 1000
/** What may be guessed in 15 minutes from one address, and of one account from one address; see `SignInLimit`. */
const guessesMax = { address: 200, pair: 10 }

const credentials = (email: string, password: string) => json({ credentials: { email, password } })

type Counts = Readonly<Record<string, number>>

/** Whether only guesses were refused: wrong ones within the limit, the others by the limit or the queue. */
const isLimited = (counts: Counts, wrongMax: number): boolean =>
  Object.keys(counts).every((status) => ['401', '429', '503'].includes(status)) &&
  (counts['401'] ?? 0) <= wrongMax

/** Wrong passwords by the hundred, from one address and from as many, while the owner of an account signs in from where it has signed in before. */
export const manySignIns: Scenario = async (url, tools) => {
  const owner = { email: 'root@vivace.test', password: 'correct horse battery' }
  const right = credentials(owner.email, owner.password)
  const signIn = async () => (await call(url, { path, from: addressOf(777), ...right })).status === 200
  await signIn()
  const statuses: Record<string, Counts> = {}
  let isBounded = true
  const rounds = tools.isSample ? 1 : 3
  const flood = async (
    name: string,
    wrongMax: number,
    of: (i: number) => { email: string; from: string },
  ) => {
    const counts: Record<string, number> = {}
    for (let round = 0; round < rounds; round++) {
      const answers = Array.from({ length: atOnce }, (_, i) => {
        const { email, from } = of(i)
        return call(url, { path, from, ...credentials(email, 'a wrong password') })
      })
      for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1
    }
    statuses[name] = counts
    isBounded &&= isLimited(counts, wrongMax)
  }
  const honest = await tools.whileHonest(async () => {
    await flood('one address, one account', guessesMax.pair, () => ({
      email: 'guessed@vivace.test',
      from: addressOf(500),
    }))
    await flood('one address, many accounts', guessesMax.address, (i) => ({
      email: `nobody${i}@vivace.test`,
      from: addressOf(1),
    }))
    await flood('many addresses, many accounts', rounds * atOnce, (i) => ({
      email: `no${i}@vivace.test`,
      from: addressOf(i),
    }))
    await flood('many addresses, the account of the owner', rounds * atOnce, (i) => ({
      email: owner.email,
      from: addressOf(i),
    }))
  }, signIn)
  return {
    name: 'a hundred and fifty sign-ins at once',
    passed: isBounded && honest.refused === 0 && honest.medianMs <= medianMaxMs,
    facts: { honest, statuses },
  }
}
