import { describe, expect, it } from 'vitest'
import { firstWidth, isLight, kindOf, shownSteps } from '../../client/capture/challenge/registry.ts'
import type { ChallengeStep } from '../../client/seal.ts'

const smile: ChallengeStep = { type: 'gesture', gesture: 'smile' }
const approach: ChallengeStep = { type: 'approach', from: 0.31, to: 0.6 }
const colours: ChallengeStep = { type: 'colours', colours: [{ colour: '#10a0ff', ms: 450 }] }

describe('the steps of a session token', () => {
  it('are shown in their order', () => {
    expect(shownSteps([approach, colours, smile])).toEqual([approach, colours, smile])
    expect(firstWidth([smile, approach])).toBe(0.31)
    expect(firstWidth([smile])).toBeNull()
    expect([approach, colours].find(isLight)).toBe(colours)
  })

  it('are left out if this page does not know them, or they cannot be shown', () => {
    const strange = [
      { type: 'dance' },
      { type: 'gesture', gesture: 'start' },
      { type: 'gesture', gesture: 'blank' },
      { type: 'gesture', gesture: 'toString' },
      { type: 'approach', from: 0.6, to: 0.3 },
      { type: 'colours', colours: [{ colour: 'red;}', ms: 400 }] },
      { type: 'colours', colours: [{ colour: '#ff0000', ms: 0 }] },
    ] as ChallengeStep[]
    expect(shownSteps([...strange, smile])).toEqual([smile])
    expect(() => kindOf(strange[0]!)).toThrow(TypeError)
  })

  it('of light take no time for people who go on without it', () => {
    expect(kindOf(colours).usualMs(colours, true)).toBe(450)
    expect(kindOf(colours).usualMs(colours, false)).toBe(0)
  })
})
