import { describe, expect, it } from 'vitest'
import { drawChallenge, readChallenge } from '../../../../src/container/challenge/challenge.ts'
import {
  challengeColours,
  colourAfter,
  colourCounts,
  colourMs,
} from '../../../../src/container/challenge/colours.ts'
import { challengeGestures } from '../../../../src/container/challenge/gesture.ts'
import { stepKinds } from '../../../../src/container/challenge/registry.ts'
import { randomBelow } from '../../../../src/container/challenge/step-kind.ts'
import { challengeSteps } from '../../../../src/setting-kinds.ts'

const draws = 600
const drawMany = <Type extends keyof typeof stepKinds>(type: Type) =>
  Array.from({ length: draws }, () => stepKinds[type].draw(randomBelow, []))

/** Linear red, green and blue of a colour, 0…1 (IEC 61966-2-1). */
const linear = (colour: string): number[] =>
  [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))

describe('challenges', () => {
  it('a challenge has the steps of its setting, in their order', () => {
    const steps = ['approach', 'colours', 'gesture', 'gesture'] as const
    const challenge = drawChallenge({ steps, required: true })
    expect(challenge.required).toBe(true)
    expect(challenge.steps.map(({ type }) => type)).toEqual(steps)
  })

  it('what was drawn is read again from the token', () => {
    const drawn = drawChallenge({ steps: ['approach', 'colours', 'gesture'], required: false })
    const [approach, colours, gesture] = drawn.steps
    const name = gesture!.type === 'gesture' && gesture!.gesture
    expect(readChallenge(JSON.parse(JSON.stringify(drawn)))).toEqual([approach, colours, name])
  })

  it.each([
    [{ type: 'nod', times: 2 }, 'nod'],
    [{ type: 'toString' }, 'toString'],
    [{ type: 'gesture' }, 'gesture'],
    [{ type: 'approach', from: 0.3 }, 'approach'],
    [{ type: 'approach', from: -1, to: 7 }, 'approach'],
    [{ type: 'colours', colours: [{ colour: 'red', ms: 400 }] }, 'colours'],
    [{ type: 'colours', colours: [{ colour: '#ff0000', ms: null }] }, 'colours'],
  ])('a step that this server does not know has the name of its type: %j', (step, name) => {
    expect(readChallenge({ steps: [step] })).toEqual([name])
  })

  it.each([undefined, null, 7, {}, { steps: null }, { steps: [7] }, { steps: [{}] }])(
    'a claim of another form asks for nothing: %j',
    (claim) => {
      expect(readChallenge(claim)).toEqual([])
    },
  )
})

describe('gestures of a challenge', () => {
  it('a challenge names each gesture at most once', () => {
    for (let round = 0; round < 100; round++) {
      const { steps } = drawChallenge({ steps: Array(4).fill('gesture'), required: true })
      expect(new Set(steps.map((step) => step.type === 'gesture' && step.gesture)).size).toBe(4)
    }
  })

  it('every order of gestures is about as likely as any other', () => {
    const counts = new Map<string, number>()
    for (let round = 0; round < 4000; round++) {
      const { steps } = drawChallenge({ steps: ['gesture', 'gesture'], required: false })
      const name = steps.map((step) => step.type === 'gesture' && step.gesture).join()
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    expect(counts.size).toBe(challengeGestures.length * (challengeGestures.length - 1))
    // 200 are expected; a deviation of 6 sigma is a fault.
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(85)
  })
})

describe('the approach of a challenge', () => {
  it('it begins at about 0.30 and ends at about 0.62 of the picture, both drawn', () => {
    const steps = drawMany('approach')
    const [from, to] = [new Set(steps.map((step) => step.from)), new Set(steps.map((step) => step.to))]
    expect([Math.min(...from), Math.max(...from), from.size]).toEqual([0.27, 0.33, 7])
    expect([Math.min(...to), Math.max(...to), to.size]).toEqual([0.58, 0.66, 9])
  })
})

describe('colours of a challenge', () => {
  const sequences = drawMany('colours').map(({ colours }) => colours)

  it('there are 6 to 8, and the longest ones last no longer than their setting says', () => {
    expect(new Set(sequences.map(({ length }) => length))).toEqual(new Set([6, 7, 8]))
    const longest = Math.max(...sequences.map((shown) => shown.reduce((sum, { ms }) => sum + ms, 0)))
    expect(longest).toBeLessThanOrEqual(challengeSteps.colours.seconds * 1000)
  })

  // WCAG 2.3.1: at most three flashes, pairs of opposing changes, in any second.
  it('there are at most 2.5 changes a second, which are fewer than two flashes', () => {
    for (const shown of sequences) {
      const changes: number[] = []
      shown.reduce((timeMs, { ms }) => {
        changes.push(timeMs)
        return timeMs + ms
      }, 0)
      for (const timeMs of changes) {
        const inSecond = changes.filter((other) => other >= timeMs && other < timeMs + 1000).length
        expect(Math.floor(inSecond / 2)).toBeLessThan(2)
      }
      for (const { ms } of shown) expect(1000 / ms).toBeLessThanOrEqual(2.5)
    }
  })

  // WCAG 2.3.1 calls a colour saturated red from R / (R + G + B) = 0.8 on.
  it('no colour is a saturated red', () => {
    for (const shown of sequences) {
      for (const { colour } of shown) {
        const [red, green, blue] = linear(colour) as [number, number, number]
        expect(red / Math.max(1e-9, red + green + blue)).toBeLessThan(0.8)
      }
    }
  })

  it('neighbours differ by all of red or green, and three in a row are three colours', () => {
    for (const shown of sequences) {
      const colours = shown.map(({ colour }) => colour)
      colours.slice(1).forEach((colour, place) => {
        const [a, b] = [linear(colour), linear(colours[place]!)]
        expect(Math.max(Math.abs(a[0]! - b[0]!), Math.abs(a[1]! - b[1]!))).toBe(1)
        if (place > 0) expect(colour).not.toBe(colours[place - 1])
      })
    }
  })

  /** Chance of the likeliest sequence of so many colours: at each place the fewest that may follow. */
  function guess(count: number): number {
    const chance = (shown: readonly string[], left: number): number => {
      if (left === 0) return 1
      const next = colourAfter(shown)
      const rest = next.map((colour) => [shown.at(-1), colour] as (string | undefined)[])
      return (
        Math.max(
          ...rest.map((pair) =>
            chance(
              pair.filter((c) => c !== undefined),
              left - 1,
            ),
          ),
        ) / next.length
      )
    }
    return chance([], count)
  }

  it('whoever guesses the colours and their lengths is right once in 2^19 times, by the colours alone once in 2^13', () => {
    for (const count of colourCounts) {
      expect(-Math.log2(guess(count))).toBeGreaterThanOrEqual(13)
      expect(-Math.log2(guess(count) / colourMs.length ** count)).toBeGreaterThanOrEqual(19)
    }
  })

  it('all colours and lengths are drawn, and about as often', () => {
    const all = sequences.flat()
    for (const colour of challengeColours) {
      const share = all.filter((shown) => shown.colour === colour).length / all.length
      expect(share).toBeGreaterThan(0.1)
      expect(share).toBeLessThan(0.2)
    }
    const short = all.filter(({ ms }) => ms === colourMs[0]).length / all.length
    expect(Math.abs(short - 0.5)).toBeLessThan(0.05)
  })
})
