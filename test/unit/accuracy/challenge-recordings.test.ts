/** What `/capture#measure` saves is measured as the server measures it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { detailsView } from '../../../src/contract/full/detail-view.ts'
import type { ChallengeDetail } from '../../../src/records/analysis.ts'
import { measureApproach } from '../../../src/vision/challenge/measure-approach.ts'
import { measureLight } from '../../../src/vision/challenge/measure-light.ts'
import { drawColours } from '../../../tools/accuracy/challenge/attacks.ts'
import { drawSurroundings, simulateLight } from '../../../tools/accuracy/challenge/lit-curves.ts'
import { drawCamera, simulateApproach } from '../../../tools/accuracy/challenge/nearing-meshes.ts'
import { readRecordings } from '../../../tools/accuracy/challenge/recordings.ts'
import { InputError } from '../../../tools/accuracy/input-error.ts'
import { generator } from '../../fixtures/gallery.ts'
import { madeUpHead } from '../../fixtures/made-up-head.ts'
import { madeUpScene } from '../../fixtures/made-up-scene.ts'

const random = generator(11)
const colours = drawColours(random)
const camera = drawCamera(random)
const light = simulateLight(madeUpScene, colours, drawSurroundings(random, 100), random, { kind: 'screen' })
const approach = simulateApproach(madeUpHead, 'person', camera, random)
const nearing = { type: 'approach', from: camera.from, to: camera.to } as const
const detail: ChallengeDetail = {
  steps: [
    { asked: nearing, performed: { gesture: 'approach', fromS: 0, toS: camera.durationS } },
    {
      asked: { type: 'colours', colours },
      performed: { gesture: 'colours', fromS: 0, toS: 5, shown: [[0, colours[0]!.colour]] },
    },
  ],
  light,
  approach,
}
const labels = { person: 'p1', group: 'north', kind: 'person', lux: 100 }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-recordings-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function save(content: unknown): Promise<string> {
  const file = path.join(folder, `${crypto.randomUUID()}.json`)
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

function answerOf(challenge: ChallengeDetail) {
  const view = detailsView([{ mediumId: 'a' }], [{ sample: null, parts: {}, stageMs: null, challenge }])
  return (view as unknown as { media: [{ challenge: object }] }).media[0].challenge
}

it('steps of a recording are measured as those of the clip were', async () => {
  const recordings = [{ ...labels, challenge: answerOf(detail) }]
  const rows = await readRecordings(await save({ vivace_challenge_recordings: 1, recordings }))
  const lit = measureLight(light, { colours }, 0, false)
  const near = measureApproach(approach, nearing, { fromS: 0, toS: camera.durationS })
  expect(rows.map(({ found: _, ...row }) => row)).toEqual([
    { ...labels, step: 'approach' },
    { ...labels, step: 'colours' },
  ])
  expect(rows.map(({ found }) => found.status)).toEqual([near.status, lit.status])
  expect(lit.status).toBe('performed')
  for (const [place, found] of [near, lit].entries())
    for (const [name, value] of Object.entries(found))
      if (typeof value === 'number') expect(rows[place]!.found[name as never], name).toBeCloseTo(value, 3)
})

it('a way without light says nothing of light', async () => {
  const [first, second] = detail.steps as [(typeof detail.steps)[number], (typeof detail.steps)[number]]
  const skipped = { ...second, performed: { ...second.performed, isSkipped: true as const } }
  const recordings = [{ ...labels, lux: null, challenge: answerOf({ ...detail, steps: [first, skipped] }) }]
  const rows = await readRecordings(await save({ vivace_challenge_recordings: 1, recordings }))
  expect(rows.map(({ step }) => step)).toEqual(['approach'])
})

it.each([
  ['no file', null],
  ['no JSON', '{'],
  ['another file', { people: [] }],
  [
    'frames of another release',
    {
      vivace_challenge_recordings: 1,
      recordings: [{ ...labels, challenge: { steps: [], light: [[0, 0, 1]], approach: null } }],
    },
  ],
])('%s is refused', async (_, content) => {
  const file = content === null ? path.join(folder, 'none.json') : await save(content)
  await expect(readRecordings(file)).rejects.toThrow(InputError)
})
