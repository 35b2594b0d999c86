import { expect, it } from 'vitest'
import { takeTurns } from '../../../tools/accuracy/take-turns.ts'

it('gives each part its share of the time, and what one part leaves to the others', async () => {
  let now = 0
  async function* part(name: string, costMs: number, count: number) {
    for (let i = 0; i < count; i++) {
      now += costMs
      yield name
    }
  }
  const parts = [
    { share: 1, items: part('slow', 30, 3) },
    { share: 2, items: part('quick', 10, 12) },
    { share: 1, items: part('none', 0, 0) },
  ]
  const taken: string[] = []
  for await (const name of takeTurns(parts, () => now)) taken.push(name)
  const firstTwoMinutes = taken.slice(0, 8)
  expect(firstTwoMinutes.filter((name) => name === 'quick').length).toBe(6)
  expect(taken.filter((name) => name === 'slow').length).toBe(3)
  expect(taken.length).toBe(15)
})
