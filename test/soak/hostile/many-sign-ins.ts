import { addressOf, call, json } from './call.ts'
import type { Scenario } from './scenario.ts'

const atOnce = 150
const path = '/api/authorize/auth'
const medianMaxMs = 1000

const credentials = (email: string, password: string) => json({ credentials: { email, password } })

/** Wrong passwords by the hundred, from one address and from as many, while the owner of an account signs in from where it has signed in before. */
export const manySignIns: Scenario = async (url, tools) => {
  const owner = { email: 'root@vivace.test', password: 'correct horse battery' }
  const right = credentials(owner.email, owner.password)
  const signIn = async () => (await call(url, { path, from: addressOf(777), ...right })).status === 200
  await signIn()
  const statuses: Record<string, Record<string, number>> = {}
  const rounds = tools.isSample ? 1 : 3
  const flood = async (name: string, of: (i: number) => { email: string; from: string }) => {
    const counts: Record<string, number> = {}
    for (let round = 0; round < rounds; round++) {
      const answers = Array.from({ length: atOnce }, (_, i) => {
        const { email, from } = of(i)
        return call(url, { path, from, ...credentials(email, 'a wrong password') })
      })
      for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1
    }
    statuses[name] = counts
  }
  const honest = await tools.whileHonest(async () => {
    await flood('one address, many accounts', (i) => ({
      email: `nobody${i}@vivace.test`,
      from: addressOf(1),
    }))
    await flood('many addresses, many accounts', (i) => ({ email: `no${i}@vivace.test`, from: addressOf(i) }))
    await flood('many addresses, the account of the owner', (i) => ({
      email: owner.email,
      from: addressOf(i),
    }))
  }, signIn)
  return {
    name: 'a hundred and fifty sign-ins at once',
    passed: honest.refused === 0 && honest.medianMs <= medianMaxMs,
    facts: { honest, statuses },
  }
}
