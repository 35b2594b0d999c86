/** A migrated database of the first release returns all its data. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Client, createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderFields } from '../../../src/contract/full/list-fields.ts'
import { parseListQuery } from '../../../src/contract/list-query.ts'
import { removeFolder } from '../../../src/folders/remove-folder.ts'
import { migrateDatabase } from '../../../src/platform/server-database.ts'
import { SessionStore } from '../../../src/storage/accounts/session-store.ts'
import { UserStore } from '../../../src/storage/accounts/user-store.ts'
import { type Database, openDatabase } from '../../../src/storage/database.ts'
import { collectBatches } from '../../../src/storage/lists/batches.ts'
import { OutboxStore } from '../../../src/storage/webhooks/outbox-store.ts'
import { WebhookSecretStore } from '../../../src/storage/webhooks/webhook-secret-store.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'

const at = 1_795_208_585_000
const id = (number: number): string => `00000000-0000-4000-a000-${String(number).padStart(12, '0')}`
const [company, user, session, replaced, folder, cleared, bare, empty] = [1, 2, 3, 4, 5, 6, 7, 8].map(id) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
]
const [photo, clip, plain, event, delivered] = [11, 12, 13, 14, 15].map(id) as [
  string,
  string,
  string,
  string,
  string,
]
const [quality, biometry, failed, open, decided, mute] = [21, 22, 23, 24, 25, 26].map(id) as [
  string,
  string,
  string,
  string,
  string,
  string,
]

const metadata = { order: 'a-word-of-a-caller', deep: { list: [1, 'zwei', true] }, text: '"#0" and more' }
const picture = { md5: 'd2daa42e3018cc93987d830df08e3f21', size: 49714, width: 555, height: 543 }
const facts = { ...picture, mimeType: 'image/jpeg' }
const thumbnail = { ...facts, size: 3950, width: 120, height: 117 }
const ofClip = { ...facts, mimeType: 'video/mp4', clip: { durationS: 2.04, framesPerSecond: 29.97 } }
const measured = {
  faceSide: 242.6955270767212,
  faceShare: 0.191218020108181,
  sharpness: 0.07540469074641962,
  brightness: 0.5923340185034071,
  underexposed: 0.0035400390625,
  overexposed: 0,
  noise: 0.3883968290118347,
  pose: { yaw: -15.104671023648683, pitch: -10.82601088677265, roll: 11.730290200059809 },
  eyesHidden: 0,
  mouthHidden: 1,
}
/** As answers tell it. */
const told = {
  faceSide: 242.7,
  faceShare: 0.1912,
  sharpness: 0.0754,
  brightness: 0.5923,
  underexposed: 0.0035,
  overexposed: 0,
  noise: 0.39,
  pose: { yaw: -15.1, pitch: -10.8, roll: 11.7 },
  eyesHidden: 0,
  mouthHidden: 1,
  colour: null,
  surroundings: null,
  blockiness: null,
}
const clipEvidence = {
  frames: 12,
  framesWithoutFace: 1,
  change: 0.123456789,
  identityDistance: null,
  repeatedShare: 0,
}
const best = {
  id: id(31),
  name: 'best.jpeg',
  original: { ...facts, md5: '25c5fc711c27d033e03d57f333fc9db2' },
}
const action = { id: id(32), name: 'ResultImageActionShot.jpeg', original: { ...facts, size: 12 } }
/** A stored shot as it is read: with its own file. */
const shot = ({ name: _, ...image }: typeof best | typeof action, kind: string, mediumId: string) => ({
  ...image,
  kind,
  thumbnail,
  bytes: null,
  files: expect.objectContaining({
    original: `${folder}/${mediumId}_${kind}.jpg`,
    thumbnail: `${folder}/${mediumId}_thumb.jpg`,
  }),
})
const qualityParameters = {
  thresholdSpoofing: 0.5,
  extractBestShot: true,
  extractActionShot: true,
  gate: 'record',
  gestureRequired: false,
}
const qualityEvidence = {
  results: [
    {
      mediumId: photo,
      attack: 0.2571733617755258,
      replay: 0.1776534616947174,
      liveness: null,
      gesture: null,
    },
    { mediumId: clip, attack: 0.1278134856995154, replay: null, liveness: 0.4, gesture: null },
  ],
  worstAttack: 0.2571733617755258,
}
const biometryEvidence = {
  pairs: [
    {
      score: 0.970218757650733,
      distance: 0.4232214350691993,
      normalisedDistance: -4.850069616795377,
      mediumIds: [photo, clip],
    },
  ],
  cohortId: 'cohort-1',
}
const models = { profile: 'standard', assurance: 'standard', networks: ['yunet-2023mar', 'minifasnet-v2'] }
const failure = { code: 3002, message: 'No face was found', mediumId: photo }
const found = {
  quarterTurns: 1,
  faces: [],
  subject: null,
  clip: null,
  bestShot: best.original,
  actionShot: null,
}

type Values = Record<string, string | number | null | Uint8Array | object>

async function insert(client: Client, table: string, values: Values): Promise<void> {
  const names = Object.keys(values)
  const args = Object.values(values).map((value) =>
    typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
      ? JSON.stringify(value)
      : value,
  )
  const places = names.map(() => '?').join()
  await client.execute({ sql: `insert into ${table} (${names.join()}) values (${places})`, args })
}

const times = (ms: number) => ({ created_at: ms, updated_at: ms + 1 })

const analysis = (own: Values & { id: string; created_at: number }): Values => ({
  folder_id: folder,
  company_id: company,
  group_id: id(40),
  state: 'FINISHED',
  resolution_status: 'SUCCESS',
  system_resolution: 'SUCCESS',
  parameters: qualityParameters,
  evidence: null,
  media: [{ associationId: id(41), mediumId: photo, outputImages: [] }],
  models,
  failure: null,
  operator: null,
  metadata: {},
  attempts: 1,
  started_at: at + 100,
  updated_at: at + 200,
  ...own,
})

/** The rows as the first release wrote them. */
async function fillFirstRelease(client: Client): Promise<void> {
  await insert(client, 'companies', {
    id: company,
    name: 'One',
    is_system: 1,
    in_deletion: 0,
    metadata: { a: 1 },
    ...times(at),
  })
  await insert(client, 'users', {
    id: user,
    company_id: company,
    type: 'CLIENT',
    email: 'a@vivace.test',
    password_hash: 'hash',
    first_name: 'A',
    may_quality: 0,
    metadata: { b: 2 },
    ...times(at),
  })
  await insert(client, 'sessions', {
    number: 17,
    id: session,
    user_id: user,
    access_hash: 'access',
    expire_hash: 'expire',
    ttl_ms: 1000,
    expires_at: at + 1000,
    replaces: replaced,
    created_at: at,
  })
  // A removed row: numbers are those of the rows, whatever the order of copying.
  await insert(client, 'folders', {
    id: empty,
    company_id: company,
    resolution_status: 'INITIAL',
    system_resolution: 'INITIAL',
    metadata: {},
    ...times(at),
  })
  await insert(client, 'folders', {
    id: folder,
    company_id: company,
    user_id: user,
    resolution_endpoint: 'https://example.com/',
    resolution_status: 'PROCESSING',
    system_resolution: 'PROCESSING',
    operator_status: 'SUCCESS',
    operator_comment: 'seen',
    review_author_id: user,
    review_at: at + 5,
    metadata,
    ...times(at + 10),
  })
  await insert(client, 'folders', {
    id: cleared,
    company_id: company,
    user_id: user,
    resolution_status: 'FINISHED',
    system_resolution: 'OPERATOR_REQUIRED',
    is_cleared: 1,
    metadata: {},
    ...times(at + 20),
  })
  await insert(client, 'folders', {
    id: bare,
    resolution_status: 'FAILED',
    system_resolution: 'FAILED',
    metadata: {},
    ...times(at + 30),
  })
  await client.execute({ sql: 'delete from folders where id = ?', args: [empty] })
  const leaves = [
    ['order', 'a-word-of-a-caller'],
    ['text', '"#0" and more'],
    ['deep.list.0', '1'],
    ['deep.list.1', 'zwei'],
    ['deep.list.2', 'true'],
  ] as const
  for (const [place, value] of leaves) {
    await insert(client, 'folder_leaves', {
      owner_id: folder,
      path: place,
      value,
      company_id: company,
      created_at: at + 10,
    })
  }
  const sample = { faces: 1, quarterTurns: 0, quality: measured }
  const medium = { folder_id: folder, thumbnail, metadata: {}, ...times(at + 40) }
  await insert(client, 'media', {
    ...medium,
    id: photo,
    tags: ['photo_selfie'],
    original_name: 'ä.jpg',
    original: facts,
    sample,
    metadata: { word: 'of a medium' },
  })
  await insert(client, 'media', {
    ...medium,
    id: clip,
    tags: [],
    original_name: null,
    original: ofClip,
    sample: { faces: 0, quarterTurns: 3, quality: null, clip: clipEvidence },
  })
  await insert(client, 'media', { ...medium, id: plain, tags: [], original: facts, sample: null })
  await insert(client, 'findings', {
    medium_id: photo,
    models: 'these',
    found,
    template: new Uint8Array(Float32Array.of(0.5, -0.25).buffer),
  })
  const both = [
    { associationId: id(42), mediumId: photo, outputImages: [best] },
    { associationId: id(43), mediumId: clip, outputImages: [best, action] },
  ]
  const withoutImages = both.map((one) => ({ ...one, outputImages: [] }))
  await insert(
    client,
    'analyses',
    analysis({
      id: quality,
      type: 'QUALITY',
      evidence: qualityEvidence,
      media: both,
      metadata: { m: '1' },
      resolution_status: 'DECLINED',
      system_resolution: 'DECLINED',
      created_at: at + 50,
    }),
  )
  await insert(
    client,
    'analyses',
    analysis({
      id: biometry,
      type: 'BIOMETRY',
      evidence: biometryEvidence,
      media: withoutImages,
      parameters: { band: { min: 0.85, max: 0.9 }, gate: 'record' },
      created_at: at + 50,
    }),
  )
  await insert(
    client,
    'analyses',
    analysis({
      id: failed,
      type: 'QUALITY',
      state: 'FAILED',
      resolution_status: 'FAILED',
      system_resolution: 'FAILED',
      failure,
      models: null,
      created_at: at + 51,
    }),
  )
  await insert(
    client,
    'analyses',
    analysis({
      id: open,
      type: 'QUALITY',
      state: 'PROCESSING',
      resolution_status: 'PROCESSING',
      models: null,
      system_resolution: 'PROCESSING',
      attempts: 1,
      due_at: at + 60,
      leased_by: 'a worker',
      created_at: at + 52,
    }),
  )
  const operator = { decision: 'SUCCESS', comment: 'looks well' }
  await insert(
    client,
    'analyses',
    analysis({
      id: decided,
      type: 'QUALITY',
      operator,
      system_resolution: 'OPERATOR_REQUIRED',
      evidence: { results: [], worstAttack: null },
      created_at: at + 53,
    }),
  )
  const none = { ...models, networks: [] }
  await insert(
    client,
    'analyses',
    analysis({ id: mute, type: 'QUALITY', media: [], models: none, created_at: at + 54 }),
  )
  const url = 'https://example.com/'
  await insert(client, 'outbox', {
    id: event,
    folder_id: folder,
    url,
    attempt: 2,
    due_at: at + 70,
    created_at: at,
  })
  await insert(client, 'deliveries', {
    number: 9,
    event_id: delivered,
    folder_id: folder,
    company_id: company,
    attempt: 1,
    status: 503,
    reason: 'status_refused',
    at: at + 80,
  })
  await insert(client, 'blob_removals', { key: `${bare}/${plain}.jpg`, due_at: 1 })
  await insert(client, 'usage', { company_id: company, day: '2026-11-20', type: 'QUALITY', count: 3 })
}

/** Applies only the first migration. */
async function migrateToFirst(client: Client): Promise<void> {
  const migrationsFolder = await mkdtemp(path.join(tmpdir(), 'vivace-first-'))
  await mkdir(path.join(migrationsFolder, 'meta'))
  await cp('drizzle/0000_first.sql', path.join(migrationsFolder, '0000_first.sql'))
  const journal = JSON.parse(await readFile('drizzle/meta/_journal.json', 'utf8'))
  await writeFile(
    path.join(migrationsFolder, 'meta', '_journal.json'),
    JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }),
  )
  await migrate(drizzle(client), { migrationsFolder })
  await rm(migrationsFolder, { recursive: true })
}

interface Place {
  url: string
  /** Path of the file, if there is one. */
  folder: string | null
  close(): Promise<void>
}

const places: [name: string, open: () => Promise<Place>][] = [
  [
    'in a file',
    async () => {
      const directory = await mkdtemp(path.join(tmpdir(), 'vivace-upgrade-'))
      return {
        url: `file:${path.join(directory, 'vivace.db')}`,
        folder: directory,
        close: () => rm(directory, { recursive: true }),
      }
    },
  ],
  ['in memory', async () => ({ url: ':memory:', folder: null, async close() {} })],
]
if (hasLibsqlServer)
  places.push([
    'on a server',
    async () => {
      const server: LibsqlServer = await startLibsqlServer()
      return { url: server.url, folder: null, close: () => server.close() }
    },
  ])

describe.each(places)('a database of the first release %s', (_, openPlace) => {
  let place: Place
  let client: Client
  let database: Database
  let kept: KeptFolders
  const progress: string[] = []

  beforeEach(async () => {
    place = await openPlace()
    client = createClient({ url: place.url })
    await migrateToFirst(client)
    await fillFirstRelease(client)
    progress.length = 0
    const isLocal = !place.url.startsWith('http')
    await migrateDatabase(client, isLocal, (line) => progress.push(line))
    database = openDatabase(client, isLocal)
    kept = keepFolders(database)
  })
  afterEach(async () => {
    client.close()
    await place.close()
  })

  it('a migration is reported once and leaves a sound database', async () => {
    expect(progress).toHaveLength(1)
    await migrateDatabase(client, false, (line) => progress.push(line))
    expect(progress).toHaveLength(1)
    const newer = 'insert into __drizzle_migrations (hash, created_at) values (?, ?)'
    const { rows } = await client.execute({
      sql: `${newer} returning rowid`,
      args: ['of a later release', 9e14],
    })
    await expect(migrateDatabase(client, false, () => {})).rejects.toThrow('newer release')
    await client.execute({ sql: 'delete from __drizzle_migrations where rowid = ?', args: [rows[0]![0]!] })
    expect((await client.execute('pragma foreign_key_check')).rows).toEqual([])
    expect((await client.execute('pragma integrity_check')).rows[0]).toMatchObject({ integrity_check: 'ok' })
  })

  it('a migrated database keeps companies, users and sessions', async () => {
    const users = new UserStore(database)
    expect(await kept.parts.companies.system()).toEqual({
      id: company,
      name: 'One',
      isSystem: true,
      inDeletion: false,
      metadata: { a: 1 },
      createdAtMs: at,
      updatedAtMs: at + 1,
    })
    expect((await users.credentials({ email: 'a@vivace.test' }))!.passwordHash).toBe('hash')
    expect(await users.find(user)).toMatchObject({
      id: user,
      companyId: company,
      type: 'CLIENT',
      firstName: 'A',
      metadata: { b: 2 },
      startFlags: { liveness: false, verification: true },
    })
    expect(await new SessionStore(database).find({ accessHash: 'access' })).toEqual({
      id: session,
      number: 17,
      userId: user,
      ttlMs: 1000,
      replaces: replaced,
      expiresAtMs: at + 1000,
      createdAtMs: at,
    })
  })

  it('a migrated database keeps folders and media', async () => {
    const record = (await kept.parts.folders.find(folder))!
    expect(record).toMatchObject({
      id: folder,
      companyId: company,
      userId: user,
      metadata,
      isCleared: false,
      resolutionEndpoint: 'https://example.com/',
      result: { resolutionStatus: 'PROCESSING', systemResolution: 'PROCESSING' },
      review: { status: 'SUCCESS', comment: 'seen', authorId: user, atMs: at + 5 },
      createdAtMs: at + 10,
      updatedAtMs: at + 11,
    })
    expect(record.media).toMatchObject([
      {
        id: photo,
        tags: ['photo_selfie'],
        originalName: 'ä.jpg',
        original: facts,
        thumbnail,
        sample: { faces: 1, quarterTurns: 0, quality: told },
        metadata: { word: 'of a medium' },
        files: { original: `${folder}/${photo}.jpg` },
      },
      {
        id: clip,
        tags: [],
        originalName: null,
        original: ofClip,
        thumbnail,
        sample: { faces: 0, quarterTurns: 3, quality: null, clip: clipEvidence },
      },
      { id: plain, original: facts, sample: null, createdAtMs: at + 40, updatedAtMs: at + 41 },
    ])
    expect('clip' in record.media[0]!.original).toBe(false)
    expect('clip' in record.media[0]!.sample!).toBe(false)
    expect(await kept.parts.folders.find(cleared)).toMatchObject({
      isCleared: true,
      metadata: {},
      media: [],
      analyses: [],
      result: { resolutionStatus: 'FINISHED', systemResolution: 'OPERATOR_REQUIRED' },
    })
    expect(await kept.parts.folders.find(bare)).toMatchObject({ companyId: null, userId: null })
    expect(await kept.parts.folders.find(empty)).toBeNull()
  })

  it('a migrated database keeps analyses', async () => {
    const { analyses } = (await kept.parts.folders.find(folder))!
    const both = [
      { associationId: id(42), mediumId: photo },
      { associationId: id(43), mediumId: clip },
    ]
    expect(analyses).toMatchObject([
      {
        id: quality,
        type: 'liveness',
        parameters: qualityParameters,
        evidence: qualityEvidence,
        models,
        groupId: id(40),
        metadata: { m: '1' },
        createdAtMs: at + 50,
        updatedAtMs: at + 200,
        outcome: { status: 'finished', decision: 'DECLINED' },
        media: [
          { ...both[0], outputImages: [shot(best, 'best', photo)] },
          { ...both[1], outputImages: [shot(best, 'best', clip), shot(action, 'action', clip)] },
        ],
      },
      {
        id: biometry,
        type: 'verification',
        evidence: biometryEvidence,
        media: both,
        parameters: { band: { min: 0.85, max: 0.9 }, gate: 'record' },
      },
      { id: failed, outcome: { status: 'failed', failure }, models: null, evidence: null },
      { id: open, outcome: { status: 'processing' }, media: [{ associationId: id(41), mediumId: photo }] },
      {
        id: decided,
        operator: { decision: 'SUCCESS', comment: 'looks well' },
        evidence: { results: [], worstAttack: null },
        outcome: { status: 'finished', decision: 'OPERATOR_REQUIRED' },
      },
      { id: mute, media: [], models: { ...models, networks: [] } },
    ])
    expect(analyses[1]!.media[0]!.outputImages).toEqual([])
    const taken = await kept.take(company, 'another', at + 60)
    expect(taken!.jobs.map(({ job }) => job)).toEqual([
      { analysisId: open, companyId: company, attempt: 2, leasedBy: 'another' },
    ])
  })

  it('a migrated database keeps findings, events, deliveries, scheduled file deletions and usage', async () => {
    const profile = 'standard' as never
    const findings = await kept.parts.media.findings(photo, { key: 'these', profile })
    expect(findings).toMatchObject({ mediumId: photo, found: { quarterTurns: 1 }, bestShot: best.original })
    const { rows } = await client.execute('select template from findings')
    expect(new Float32Array(rows[0]!.template as ArrayBuffer)).toEqual(Float32Array.of(0.5, -0.25))
    const outbox = new OutboxStore(database)
    expect(await outbox.take(at + 70, 1000, { max: 9, perCompanyMax: 9, except: [null] })).toEqual([
      {
        ...{ id: event, folderId: folder, companyId: company },
        ...{ url: 'https://example.com/', attempt: 2, createdAtMs: at },
      },
    ])
    const all = { limit: 10, offset: 0, totalOmit: false, sorting: [], filters: [] }
    expect((await outbox.list(all, company)).items).toEqual([
      {
        number: 9,
        eventId: delivered,
        folderId: folder,
        attempt: 1,
        status: 503,
        at: undefined,
        reason: 'status_refused',
        atMs: at + 80,
      },
    ])
    // The medium of the file exists, but in another folder.
    expect(await kept.parts.ledger.due(2, 9)).toEqual([])
    const used = await client.execute('select lower(hex(company_id)) as id, day, type, count from usage')
    expect(used.rows[0]).toMatchObject({ id: company.replaceAll('-', ''), type: 'QUALITY', count: 3 })
  })

  it('companies of a migrated database get webhook secrets', async () => {
    const store = new WebhookSecretStore(database, () => 'whsec_new')
    expect(await store.signing(company, at)).toEqual(['whsec_new'])
  })

  it('folders of a migrated database are found by all filters', async () => {
    const listed = async (search: string, within = {}) => {
      const query = parseListQuery(new URLSearchParams(search), folderFields, at)
      const { batches, total } = await kept.parts.folders.list(query, within, {
        media: false,
        analyses: false,
      })
      const items = await collectBatches(batches)
      expect(total).toBe(items.length)
      return items.map((item) => item.id)
    }
    expect(await listed('')).toEqual([bare, cleared, folder])
    expect(await listed('', { companyId: company, userId: user })).toEqual([cleared, folder])
    for (const search of [
      'meta_data=order==a-word-of-a-caller,deep.list.1==zwei',
      'search_text=of-a-caller',
      `search_text=${folder.slice(20)} {`,
      `search_text=${folder.slice(7)}`,
      'resolution_status=PROCESSING',
      'operator_status=SUCCESS',
      'analyse.type=BIOMETRY',
      'analyse.state=FAILED',
      'analyse.resolution_status=DECLINED',
      'analyse.resolution_status.exclude=DECLINED,SUCCESS,FAILED',
      `analyse.time_created.min=${at + 51}&analyse.time_created.max=${at + 53}`,
      'analyse.type=QUALITY&analyse.resolution_status=DECLINED',
      `analyse.time_created=${at + 52}`,
      'results_data=max_confidence>0.97',
    ])
      expect([search, await listed(search)]).toEqual([search, [folder]])
    expect(await listed(`analyse.time_created.min=${at + 55}`)).toEqual([])
    expect(await listed('analyse.type=COLLECTION')).toEqual([])
    expect(await listed('analyse.type=BIOMETRY&analyse.resolution_status=DECLINED')).toEqual([])
    expect(await listed('is_cleared=true')).toEqual([cleared])
  })

  it('rows removed from a migrated database leave no copies in the file', async () => {
    if (place.folder === null) return
    const directory = place.folder
    const stored = async () => {
      const texts = (await readdir(directory)).map((name) => readFile(path.join(directory, name), 'latin1'))
      return (await Promise.all(texts)).join()
    }
    expect(await stored()).toContain('a-word-of-a-caller')
    await removeFolder(kept.parts, folder)
    await database.scrub()
    for (const word of ['a-word-of-a-caller', 'of a medium', folder, photo])
      expect([word, (await stored()).includes(word)]).toEqual([word, false])
  })
})

it.skipIf(!hasLibsqlServer)(
  'replicas that start at once carry a database over once, and all of them open it',
  async () => {
    const server = await startLibsqlServer()
    const clients = Array.from({ length: 3 }, () => createClient({ url: server.url }))
    try {
      await migrateToFirst(clients[0]!)
      await fillFirstRelease(clients[0]!)
      await Promise.all(clients.map((client) => migrateDatabase(client, false, () => {})))
      const { rows } = await clients[0]!.execute('select count(*) as folders from folders where number > 0')
      expect(Number(rows[0]!.folders)).toBeGreaterThan(0)
    } finally {
      for (const client of clients) client.close()
      await server.close()
    }
  },
)
