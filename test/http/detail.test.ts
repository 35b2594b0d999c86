/** `detail` in the payload: answers that show how their results came about. */
import { describe, expect, it } from 'vitest'
import { shrinkImage, testCodecs } from '../fixtures/codecs.ts'
import { group } from '../fixtures/packages.ts'
import { portrait, portraitImage } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { zip } from '../fixtures/zip.ts'
import { type FilePart, file, form, postForm, send } from './client.ts'
import { call, createCompany, createUser, finished, signInAsAdmin, upload } from './persistent/service.ts'

const path = '/api/instant/folders/'
const both = [{ type: 'quality', params: { extract_best_shot: false } }, { type: 'biometry' }]

const analysed = async (files: FilePart[], payload: object) => {
  const { status, json } = await postForm(path, form(files, payload))
  expect(status).toBe(200)
  return json.analyses
}

const detailOf = (analysis: { technical_meta_data: { detail: unknown } }) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of all shapes
  analysis.technical_meta_data.detail as any

/** The middles of the lines around the eyes, in shares of the picture. */
function middlesOf(picture: {
  width: number
  height: number
  landmarks: Record<string, [number, number][]>
}) {
  const middle = (line: [number, number][]) => [
    expect.closeTo(line.reduce((sum, [x]) => sum + x, 0) / line.length / picture.width, 3),
    expect.closeTo(line.reduce((sum, [, y]) => sum + y, 0) / line.length / picture.height, 3),
  ]
  return { right: middle(picture.landmarks.right_eye!), left: middle(picture.landmarks.left_eye!) }
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x))
const logOdds = (share: number) => Math.min(5, Math.max(-5, Math.log((1 - share) / share)))

describe('answers with details', () => {
  it('are given only to those who ask', async () => {
    const photo = file('photo1', await portrait('redhead'))
    for (const payload of [{}, { detail: false }, { detail: 0 }, { detail: null }]) {
      const [analysis] = await analysed([photo], { analyses: [{ type: 'quality' }], ...payload })
      expect(analysis.technical_meta_data).not.toHaveProperty('detail')
      const { right, left } = analysis.source_media[0].technical_meta_data.eyes
      expect(left[0] - right[0]).toBeGreaterThan(0.05)
    }
    const { status, json } = await postForm(
      path,
      form([photo], { analyses: [{ type: 'quality' }], detail: 'yes' }),
    )
    expect([status, json.error_code, json.details.key_path]).toEqual([400, 5, 'detail'])
  })

  it('locate face and landmarks in the upright picture', async () => {
    const [quality, biometry] = await analysed(
      [file('a', await portrait('redhead')), file('b', await portrait('redheadAgain'))],
      { analyses: both, detail: true },
    )
    for (const { technical_meta_data, source_media } of [quality, biometry]) {
      const { media } = technical_meta_data.detail
      expect(media.map(({ media_id }: { media_id: string }) => media_id)).toEqual(
        source_media.map(({ media_id }: { media_id: string }) => media_id),
      )
      for (const { media_id, picture } of media) {
        const [x, y, width, height] = picture.faces[0].box
        expect([picture.time, picture.faces.length]).toEqual([null, 1])
        expect(picture.faces[0].confidence).toBeGreaterThan(0.5)
        const eyes = ['right_eye', 'left_eye'].map((eye) => picture.landmarks[eye] as [number, number][])
        for (const [px, py] of eyes.flat()) {
          expect(px).toBeGreaterThan(x)
          expect(px).toBeLessThan(x + width)
          expect(py).toBeGreaterThan(y)
          expect(py).toBeLessThan(y + height)
        }
        const medium = source_media.find(({ media_id: id }: { media_id: string }) => id === media_id)
        expect(medium.technical_meta_data.eyes).toEqual(middlesOf(picture))
        expect(Object.keys(picture.landmarks)).toContain('face_oval')
        expect(picture).not.toHaveProperty('frames')
      }
    }
    const [medium] = detailOf(quality).media
    expect(medium.picture).toMatchObject({ width: 555, height: 555 })
    expect(medium.timings).toMatchObject({ detect: expect.any(Number), pad: expect.any(Number) })
  })

  it('show what a score is made of, and nothing of scores that were not asked for', async () => {
    const [quality, biometry] = await analysed(
      [file('a', await portrait('redhead')), file('b', await portrait('redheadAgain'))],
      { analyses: both, detail: 1 },
    )
    const [{ score_parts, picture }] = detailOf(quality).media
    const attack = quality.results_media[0].results_data.confidence_spoofing
    expect(score_parts).toEqual({ frames: attack, movement: null, identity: null })
    const { views, bias, softness, reliability } = picture.networks
    const sum = views.reduce(
      (total: number, { live, weight }: { live: number; weight: number }) => total + weight * logOdds(live),
      bias + softness,
    )
    expect(logistic(sum * reliability)).toBeCloseTo(attack, 2)
    expect(detailOf(quality).quality_bounds).toMatchObject({ sharpness: { min: expect.any(Number) } })
    for (const medium of detailOf(biometry).media) {
      expect(medium.score_parts).toEqual({})
      expect(medium.picture).not.toHaveProperty('networks')
    }
    expect(biometry.technical_meta_data.comparisons).toHaveLength(1)
  })

  it('list the frames of a clip with their scores, within a bounded size', async () => {
    const image = await portraitImage('redhead')
    const frames = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const side = 400 - (i % 3)
        const bytes = await testCodecs.encodeJpeg({ image: shrinkImage(image, side, side), quality: 90 })
        return [`${String(i).padStart(3, '0')}.jpg`, bytes] as const
      }),
    )
    const archive = file('clip', zip(Object.fromEntries(frames)), {
      filename: 'frames.zip',
      type: 'application/zip',
    })
    const [analysis] = await analysed([archive], { analyses: both.slice(0, 1), detail: true })
    const [{ picture }] = detailOf(analysis).media
    expect(picture.time).toEqual(expect.any(Number))
    expect(analysis.source_media[0].technical_meta_data.eyes).toEqual(middlesOf(picture))
    expect(picture.frames.length).toBeGreaterThan(10)
    expect(picture.frames.length).toBeLessThanOrEqual(100)
    const key = picture.frames.filter((frame: object) => 'attack' in frame)
    expect(key.length).toBeGreaterThan(3)
    expect(key[0]).toMatchObject({
      sharpness: expect.any(Number),
      shot_score: expect.any(Number),
      normalised_distance: expect.any(Number),
      box: [expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)],
    })
    expect(JSON.stringify(detailOf(analysis)).length).toBeLessThan(30_000)
  })

  it('show the faces of pictures that could not be decided, at most 20', async () => {
    const [analysis] = await analysed([file('crowd', await group(6))], {
      analyses: both.slice(0, 1),
      detail: true,
    })
    expect(analysis.error_code).toBe(3003)
    expect(detailOf(analysis).media[0].picture.faces.length).toBeGreaterThan(1)
    const { ramp } = await import('../fixtures/pictures.ts')
    const empty = await testCodecs.encodeJpeg({ image: ramp(400, 300), quality: 90 })
    const [undecided] = await analysed([file('empty', empty)], { analyses: both.slice(0, 1), detail: true })
    expect(undecided.error_code).toBe(3002)
    expect(detailOf(undecided).media).toEqual([
      {
        media_id: undecided.source_media[0].media_id,
        score_parts: { frames: null, movement: null, identity: null },
        picture: null,
        timings: expect.any(Object),
      },
    ])
  })
})

describe.skipIf(testedRuntime === 'workers')('details of stored folders', () => {
  it('are read back as they were answered, left out of lists, and removed with personal data', async () => {
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Details')
    const { token } = await createUser(admin.token, company, 'CLIENT')
    const photo = file('photo1', await portrait('redhead'))
    const { json: created } = await upload(
      token,
      '/api/folders/',
      form([photo], { analyses: [{ type: 'quality' }], detail: true }),
    )
    const [analysis] = created.analyses
    expect(detailOf(analysis).media[0].picture.faces).toHaveLength(1)
    const read = await call(token, 'GET', `/api/analyses/${analysis.analysis_id}`)
    expect(read.json.technical_meta_data).toEqual(analysis.technical_meta_data)
    const list = await call(token, 'GET', '/api/folders/?with_analyses=true')
    expect(list.text.includes('"detail"')).toBe(false)
    const removed = await call(admin.token, 'DELETE', `/api/folders/${created.folder_id}/pi`)
    expect(removed.status).toBe(204)
    const cleared = await send(`/api/folders/${created.folder_id}?with_analyses=true`, {
      headers: { 'X-Forensic-Access-Token': token },
    })
    expect(cleared.text.includes('"detail"')).toBe(false)
  })

  it('are found by analyses in the background, also after one without', async () => {
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Details later')
    const { token } = await createUser(admin.token, company, 'CLIENT')
    const photo = file('photo1', await portrait('redhead'))
    const { json: folder } = await upload(token, '/api/folders/', form([photo], {}))
    const run = async (detail: boolean) => {
      const body = { analyses: [{ type: 'quality' }], detail }
      const { json } = await call(token, 'POST', `/api/folders/${folder.folder_id}/analyses/`, body)
      return finished(token, json[0].analysis_id)
    }
    expect((await run(false)).technical_meta_data).not.toHaveProperty('detail')
    const detailed = await run(true)
    expect(detailOf(detailed).media[0].picture.networks.views.length).toBeGreaterThan(0)
  })
})
