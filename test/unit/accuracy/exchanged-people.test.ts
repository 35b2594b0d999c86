/** Clips in which a photo of somebody else takes the place of frames do not pass, even if their frames look bona fide. */
import { describe, expect, it } from 'vitest'
import { decideLiveness } from '../../../src/analyses/liveness/decide.ts'
import { clipsOf } from '../../../tools/accuracy/animation/animated-stills.ts'
import type { AttackClip } from '../../../tools/accuracy/attack-clips.ts'
import { photosAmongTurned, strangersInTurn } from '../../../tools/accuracy/exchanged-people.ts'
import { hasFfmpeg } from '../../fixtures/clips.ts'
import { usualLiveness } from '../../fixtures/liveness-parameters.ts'
import { assessPhoto } from '../../fixtures/networks.ts'
import { hasTestData, testDataDir } from '../../fixtures/test-data.ts'

const isReady = hasTestData && hasFfmpeg
const wanted = { faces: true, template: true, pad: false, bestShot: false }
const assessFaces = (bytes: Uint8Array) => assessPhoto(bytes, { ...wanted, template: false })

/** The outcome if nothing but identity and movement could decline the clip. */
async function judged({ frames }: AttackClip) {
  const assessment = await assessPhoto(await (await clipsOf(frames)).zip(), wanted)
  const bonaFide = {
    ...assessment,
    subject: assessment.subject && {
      ...assessment.subject,
      pad: { status: 'assessed' as const, attack: 0, replay: 0, modelIds: ['minifasnet-v2' as const] },
    },
  }
  return decideLiveness([{ id: 'a', tags: [], assessment: bonaFide }], usualLiveness).outcome
}

describe.skipIf(!isReady)(
  `clips of two people${isReady ? '' : ' (skipped: TEST_DATA_DIR is not set, or ffmpeg is missing)'}`,
  () => {
    it('a photo of the victim among turned frames of a stranger is not decided: too few show a face from the front', async () => {
      const among = { isWanted: (species: string) => species.startsWith('a photo among eleven'), people: 2 }
      let clips = 0
      for await (const clip of photosAmongTurned(testDataDir, among, assessFaces)) {
        expect(await judged(clip)).toMatchObject({ status: 'failed', failure: { code: 3006 } })
        clips++
      }
      expect(clips).toBe(2)
    }, 120_000)

    it('photos of two strangers in turn do not pass, and are declined where enough frames show a face from the front', async () => {
      const wantedPairs = { isWanted: (species: string) => species.includes('in turn'), people: 1 }
      const decisions: string[] = []
      for await (const clip of strangersInTurn(testDataDir, wantedPairs, assessFaces)) {
        const outcome = await judged(clip)
        decisions.push('decision' in outcome ? outcome.decision : 'none')
        if (decisions.length === 3) break
      }
      expect(decisions).toContain('DECLINED')
      expect(decisions).not.toContain('SUCCESS')
    }, 120_000)
  },
)
