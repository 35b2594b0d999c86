import { describe, expect, it } from 'vitest'
import type { MediumAssessor } from '../../../src/assess/assess-medium.ts'
import type { Assessment } from '../../../src/assess/assessment.ts'
import { makePortrait, warmUp } from '../../../src/assess/warm-up.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { assessPhoto } from '../../fixtures/networks.ts'

/** Warms up with an assessor that counts; a medium comes after some pauses. */
async function countRounds(assess: MediumAssessor, pausesBefore = Number.POSITIVE_INFINITY): Promise<number> {
  let [rounds, pauses] = [0, 0]
  await warmUp({
    assess: (medium, wanted) => {
      rounds++
      return assess(medium, wanted)
    },
    portrait: await makePortrait(testCodecs),
    async pause() {
      pauses++
    },
    isWaiting: () => pauses > pausesBefore,
  })
  return rounds
}

const nothing = async () => ({}) as Assessment

describe('the warm-up of a worker', () => {
  it('assesses a portrait, with all stages of one', async () => {
    const assessments: Assessment[] = []
    await countRounds(async ({ bytes }, wanted) => {
      const assessment = assessments[0] ?? (await assessPhoto(bytes, wanted))
      assessments.push(assessment)
      return assessment
    })
    const [{ faces, subject, quarterTurns } = {} as Assessment] = assessments
    expect(faces).toHaveLength(1)
    expect(quarterTurns).toBe(0)
    expect(subject).toMatchObject({ pad: { status: 'assessed' }, template: { status: 'extracted' } })
  })

  it('takes a portrait that every server accepts', async () => {
    const { width, height } = await testCodecs.decode('jpeg', (await makePortrait(testCodecs)).bytes)
    expect(width * height).toBeLessThan(1e6)
  })

  it('ends once a medium waits', async () => {
    expect(await countRounds(nothing)).toBeGreaterThan(2)
    expect(await countRounds(nothing, 2)).toBe(2)
    expect(await countRounds(nothing, 0)).toBe(0)
  })

  it('passes on what fails', async () => {
    await expect(countRounds(() => Promise.reject(new Error('no engine')))).rejects.toThrow('no engine')
  })
})
