/** The server reaches the verdicts of the test vectors, and so does a reader that was written from the page alone. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { ClipFindings } from '../../../../src/assess/assessment.ts'
import { toCaptureFacts } from '../../../../src/container/capture-facts.ts'
import { readEvidence } from '../../../../src/container/content.ts'
import { judgeCapture } from '../../../../src/decide/capture.ts'
import { openSessionTokens } from '../../../../src/identity/session-token.ts'
import { gestureNames } from '../../../../src/vision/clip/gestures.ts'
import { type ChallengeVector, readAnswer } from '../../../fixtures/challenge-reader.ts'
import { utf8, vectorKeys } from '../../../fixtures/containers.ts'

const vectors: ChallengeVector[] = JSON.parse(await readFile('test/vectors/challenge/vectors.json', 'utf8'))

const tokens = await openSessionTokens({ privatePem: null, publicPem: vectorKeys.sessionTokenPublic })

function findClip(clip: ChallengeVector['clip']): ClipFindings | null {
  if (!clip) return null
  const gestures = gestureNames.map((name) => {
    const peaksS = clip.gestures[name] ?? []
    const timeS = peaksS[0] ?? null
    return [name, { isPerformed: timeS !== null, score: timeS === null ? 0 : 1.5, timeS, peaksS }]
  })
  const timing = { declaredS: clip.duration, sameTime: 0, backSteps: 0, fastestRate: 30 }
  return { timing, gestures: Object.fromEntries(gestures) } as unknown as ClipFindings
}

async function judge({ token, arrived, evidence, clip }: ChallengeVector) {
  const { claims } = (await tokens.verify(token, arrived * 1000))!
  const facts = toCaptureFacts(readEvidence(utf8(JSON.stringify(evidence))), claims, arrived * 1000)
  const { status, reasons } = judgeCapture(facts, findClip(clip), clip?.duration ?? null)
  return { status, reasons }
}

describe('test vectors of challenges', () => {
  it.each(vectors)('the server says what the vector says: $says', async (vector) => {
    expect(await judge(vector)).toEqual({ status: vector.status, reasons: vector.reasons })
  })

  it.each(vectors)('so does a reader of the page alone: $says', (vector) => {
    expect(readAnswer(vector)).toEqual({ status: vector.status, reasons: vector.reasons })
  })

  it('every status is reached', () => {
    const statuses = new Set(vectors.map(({ status }) => status))
    expect(statuses).toEqual(new Set(['answered', 'missed', 'cannot_tell', 'contradicted', 'no_evidence']))
  })
})
