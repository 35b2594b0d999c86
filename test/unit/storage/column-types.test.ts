/** Values are read from the database as they were written. */
import { createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  associations,
  packedModels,
  packedOriginal,
  packedPicture,
  packedSample,
  packImage,
  unpackImage,
  uuid,
  word,
} from '../../../src/storage/column-types.ts'
import {
  type Analysed,
  analysisSummaryMask,
  summaryMask,
} from '../../../src/storage/folders/analysis-summary.ts'

const values = sqliteTable('stored', {
  id: uuid().notNull(),
  colour: word(['BLUE', 'RED'])(),
  media: associations(),
  original: packedOriginal(),
  thumbnail: packedPicture(),
  sample: packedSample(),
  models: packedModels(),
})

const id = '0123ab67-89ab-4def-8123-456789abcdef'
const other = 'ffffffff-0000-4000-8000-000000000000'
const picture = {
  md5: 'd2daa42e3018cc93987d830df08e3f21',
  size: 1,
  width: 2,
  height: 3,
  mimeType: 'image/png',
}
const quality = {
  faceSide: 1.1,
  faceShare: 2,
  sharpness: 3,
  brightness: 4,
  underexposed: 5,
  overexposed: 6,
  noise: 7,
  pose: { yaw: -8, pitch: 9, roll: 10 },
  eyesHidden: 11,
  mouthHidden: 12,
  colour: 13,
  surroundings: 14,
  blockiness: 15,
}
const clip = {
  frames: 1,
  framesWithoutFace: 0,
  framesTurned: 0,
  movement: {
    status: 'measured' as const,
    frames: 40,
    own: 0.5,
    uncut: 0.5,
    view: 0.25,
    tilt: 0.01,
    recurrence: 1.25,
    jumpRecurrence: null,
    remainder: 0.25,
    blendRemainder: null,
    light: 0.03,
  },
  identity: { frames: 9, facing: 8, agreeing: 7, distance: -4 },
  repeatedShare: 0,
  timing: null,
}

it('pictures taken from media are read as they were packed, with and without a thumbnail of their own', () => {
  const thumbnail = { ...picture, md5: '5d41402abc4b2a76b9719d911017c592' }
  for (const original of [picture, { ...picture, thumbnail }]) {
    const image = { id, kind: 'action', original } as const
    expect(unpackImage(JSON.parse(JSON.stringify(packImage(image))))).toEqual(image)
  }
})

describe('columns', () => {
  const client = createClient({ url: ':memory:' })
  const queries = drizzle(client)

  beforeAll(() =>
    client.execute('create table stored (id, colour, media, original, thumbnail, sample, models)'),
  )
  afterAll(() => client.close())

  it.each([
    { id },
    { id, colour: 'RED' as const, media: [], thumbnail: picture, original: picture },
    { id, media: [{ associationId: id, mediumId: other }] },
    { id, original: { ...picture, hasPreview: true as const } },
    { id, original: { ...picture, mimeType: 'video/mp4', clip: { durationS: 2.5, framesPerSecond: 30 } } },
    { id, original: { ...picture, mimeType: 'application/zip', frames: 12 } },
    { id, original: { ...picture, mimeType: 'video/mp4', hasPreview: true as const } },
    { id, original: { ...picture, mimeType: 'application/zip', frames: 12, hasPreview: true as const } },
    { id, sample: { faces: 0, quarterTurns: 3, quality: null } },
    { id, sample: { faces: 1, quarterTurns: 0, quality, clip } },
    { id, models: { profile: 'embedded' as const, assurance: 'low', networks: [] } },
    { id, models: { profile: 'standard' as const, assurance: 'high', networks: ['yunet-2023mar' as const] } },
  ])('hold $sample $models $original $media as they are', async (row) => {
    await queries.delete(values)
    await queries.insert(values).values(row)
    const absent = { colour: null, media: null, original: null, thumbnail: null, sample: null, models: null }
    expect(await queries.select().from(values)).toEqual([{ ...absent, ...row }])
  })

  // As 1.0.0 has written them, before pictures had previews.
  it.each([
    ['a picture', ['image/jpeg'], undefined],
    ['a clip', ['video/mp4', { durationS: 2.5, framesPerSecond: 30 }], true],
    ['an archive', ['application/zip', null, 12], true],
    ['a clip on Workers', ['video/mp4', { durationS: 2.5, framesPerSecond: 30 }, null, true], undefined],
  ])('say of %s whether it has a preview', async (_, more, hasPreview) => {
    const { md5, size, width, height } = picture
    await client.execute('delete from stored')
    await client.execute({
      sql: 'insert into stored (id, original) values (?, ?)',
      args: [Buffer.from(id.replaceAll('-', ''), 'hex'), JSON.stringify([md5, size, width, height, ...more])],
    })
    const [row] = await queries.select({ original: values.original }).from(values)
    expect(row!.original!.hasPreview).toBe(hasPreview)
  })

  it('ids are stored as 16 bytes, whatever their case', async () => {
    await queries.delete(values)
    await queries.insert(values).values({ id: id.toUpperCase() })
    const { rows } = await client.execute('select length(id) as bytes, lower(hex(id)) as hex from stored')
    expect(rows[0]).toMatchObject({ bytes: 16, hex: id.replaceAll('-', '') })
    expect(await queries.select({ id: values.id }).from(values)).toEqual([{ id }])
  })

  it.each(['', 'a', `${id}0`, id.replaceAll('-', ''), id.replace('a', 'g')])('refuse %j as an id', (text) => {
    expect(() => queries.insert(values).values({ id: text }).toSQL()).toThrow(TypeError)
  })

  it('a word column refuses an unknown word', () => {
    expect(() =>
      queries
        .insert(values)
        .values({ id, colour: 'GREEN' as 'RED' })
        .toSQL(),
    ).toThrow(TypeError)
  })
})

describe('the summary of a folder’s analyses', () => {
  const of = (type: Analysed['type'], resolutionStatus: Analysed['resolutionStatus']) => ({
    type,
    resolutionStatus,
  })
  const has = (bits: number, wanted: Partial<Analysed>) =>
    (bits &
      summaryMask((kind) =>
        Object.entries(wanted).every(([field, word]) => kind[field as keyof Analysed] === word),
      )) !==
    0

  it('the summary keeps fields apart, and the analyses: a failed state is not a failed result', () => {
    const bits = analysisSummaryMask([of('liveness', 'SUCCESS'), of('verification', 'DECLINED')])
    const found = (wanted: Partial<Analysed>) => has(bits, wanted)
    expect(found({ type: 'liveness' }) && found({ type: 'verification' })).toBe(true)
    expect(found({ type: 'documents' })).toBe(false)
    expect(found({ state: 'FINISHED' })).toBe(true)
    expect([found({ state: 'FAILED' }), found({ resolutionStatus: 'FAILED' })]).toEqual([false, false])
    expect(found({ type: 'liveness', resolutionStatus: 'SUCCESS' })).toBe(true)
    expect(found({ type: 'liveness', resolutionStatus: 'DECLINED' })).toBe(false)
    expect(analysisSummaryMask([])).toBe(0)
  })
})
