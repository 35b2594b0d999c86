/** Demands of the contract as rows of a table: where it makes them, what it says, a call, and what must hold of the answer. */
import { expect, it } from 'vitest'
import type { Answer } from '../http/client.ts'

export interface Demand<World> {
  /** Lines of the contract's documents: F is the full service, L the lite service. */
  line: string
  says: string
  call(world: World): Promise<Answer>
  /** 2xx if none is named. */
  status?: number
  /** What the answer must contain at least. */
  body?: object
  /** What else must hold. */
  holds?(json: Answer['json'], world: World, answer: Answer): void | Promise<void>
}

/**
 * Makes a test of each demand.
 * @param world what the calls need; read when the tests run
 */
export function itMeets<World>(world: () => World, demands: readonly Demand<World>[]): void {
  it.each(demands)('$line: $says', async ({ call, status, body, holds }) => {
    const answer = await call(world())
    const { json, text } = answer
    expect(`${answer.status} ${text.slice(0, 300)}`).toMatch(
      status === undefined ? /^2/ : new RegExp(`^${status} `),
    )
    if (body) expect(json).toMatchObject(body)
    await holds?.(json, world(), answer)
  })
}
