import { afterEach, beforeEach, expect, it } from 'vitest'
import { viewOptions } from '../../../src/contract/full/view-options.ts'
import type { DeliveryAttempt } from '../../../src/events/deliver.ts'
import { OutboxRunner } from '../../../src/events/outbox-runner.ts'
import { submitFolder } from '../../../src/folders/submit.ts'
import { readSettings } from '../../../src/settings.ts'
import { CaptureLinkStore } from '../../../src/storage/folders/capture-link-store.ts'
import { OutboxStore } from '../../../src/storage/webhooks/outbox-store.ts'
import { WebhookSecretStore } from '../../../src/storage/webhooks/webhook-secret-store.ts'
import { queuedEvents } from '../../../src/webhooks/queued-events.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

const dayMs = 24 * 3600_000

let opened: TestDatabase
let kept: KeptFolders
let company: string
let sent: DeliveryAttempt[]
let lines: string[]

beforeEach(async () => {
  opened = await openTestDatabase()
  kept = keepFolders(opened.database)
  company = await kept.company('One')
  sent = []
  lines = []
})
afterEach(() => opened.close())

/** A folder with an event that is due. */
async function announced(): Promise<string> {
  const { id } = await kept.folder(company, 'https://example.com/')
  const at = kept.clock.nowMs++
  await opened.client.execute({
    sql: `insert into outbox (id, folder_id, company_id, url, attempt, due_at, created_at)
      select unhex(?), id, company_id, resolution_endpoint, 1, ?, ? from folders where id = unhex(?, '-')`,
    args: [crypto.randomUUID().replaceAll('-', ''), at, at, id],
  })
  return id
}

const damage = (folderId: string) =>
  opened.client.execute({
    sql: `update media set tags = '{' where folder_number = (select number from folders where id = unhex(?, '-'))`,
    args: [folderId],
  })

/** Sends what is due, until nothing is. */
const drain = () => {
  const { database } = opened
  const secrets = new WebhookSecretStore(database, () => 'whsec_c2VjcmV0')
  const view = viewOptions(readSettings({}), 'full', false)
  const outbox = queuedEvents({
    folders: kept.parts.folders,
    links: new CaptureLinkStore(database),
    outbox: new OutboxStore(database),
    secrets,
    view,
  })
  return new OutboxRunner({
    outbox,
    async deliver(delivery) {
      sent.push(delivery)
      return { ok: true, status: 200 }
    },
    nowMs: () => kept.clock.nowMs,
    random: () => 0.5,
    setTimer: () => () => {},
    log: (_, event) => lines.push(event),
    attemptMaxMs: 30_000,
    pollMs: 1000,
    pollMaxMs: 1000,
  }).drain(() => false)
}

const foldersSent = () => sent.map(({ body }) => (JSON.parse(body) as { folder_id: string }).folder_id)
const queued = async () => (await opened.client.execute('select attempt from outbox')).rows.length

it('an event whose folder cannot be read stops no other one, and is given up after three attempts', async () => {
  const [first, damaged, last] = [await announced(), await announced(), await announced()]
  await damage(damaged)
  await drain()
  expect(foldersSent().sort()).toEqual([first, last].sort())
  expect([await queued(), lines.filter((event) => event === 'webhook broke')]).toEqual([1, ['webhook broke']])
  for (let attempt = 2; attempt <= 3; attempt++) {
    kept.clock.nowMs += dayMs
    const next = await announced()
    await drain()
    expect(foldersSent().at(-1)).toBe(next)
  }
  expect([await queued(), sent.length]).toEqual([0, 4])
})

it.each([
  ['is sent again though it was received', 'webhook_retried', true, [1, 2]],
  ['is sent once for another outcome', 'success', true, [1]],
  ['is sent once in a company that is no sandbox', 'webhook_retried', false, [1]],
])('an event of a folder of a sandbox %s', async (_, sandbox, isSandbox, attempts) => {
  const submission = { userId: null, metadata: { sandbox }, media: [submittedMedium()], analyses: [quality] }
  const companyId = await kept.company('Other', isSandbox)
  await submitFolder(kept.parts, { ...submission, companyId, resolutionEndpoint: 'https://example.com/' }, {})
  for (let day = 0; day < 3; day++) {
    await drain()
    kept.clock.nowMs += dayMs
  }
  expect(sent.map(({ attempt }) => attempt)).toEqual(attempts)
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
  expect(await queued()).toBe(0)
})

it('an event says what its folder is when it is sent', async () => {
  const id = await announced()
  const events = queuedEvents({
    folders: kept.parts.folders,
    links: new CaptureLinkStore(opened.database),
    outbox: new OutboxStore(opened.database),
    secrets: new WebhookSecretStore(opened.database, () => 'whsec_c2VjcmV0'),
    view: viewOptions(readSettings({}), 'full', false),
  })
  const [delivery] = await events.take(kept.clock.nowMs, 1000, { max: 1, perTenantMax: 1, except: [] })
  await kept.parts.folders.clear(id, kept.clock.nowMs, async () => {})
  expect(JSON.parse((await delivery!.read())!.body)).toMatchObject({ is_cleared: true, media: [] })
  await kept.parts.folders.delete(id, kept.clock.nowMs, async () => {})
  expect(await delivery!.read()).toBeNull()
})
