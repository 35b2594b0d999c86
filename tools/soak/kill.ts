/** Kills the server at random moments under load, and checks that it loses nothing it has acknowledged. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pause } from '../../src/queue/timers.ts'
import { shrinkImage, testCodecs } from '../../test/fixtures/codecs.ts'
import { databaseUrlIn, openServedDatabase } from '../../test/fixtures/database.ts'
import { type PortraitName, portraitImage } from '../../test/fixtures/portraits.ts'
import { generator } from './hostile-files.ts'
import {
  allEnded,
  checkAcknowledged,
  checkDatabase,
  checkEnds,
  checkEvents,
  checkFiles,
  checkStatistics,
  checkUsage,
  watchStates,
} from './kill-checks.ts'
import { Acknowledged, type Load, runLoad } from './kill-load.ts'
import { checkPersons, checkTemplates, openList, runPersons } from './kill-persons.ts'
import { Service } from './service.ts'

const side = 240
/** Duration of one run of the server, from "listening" on. */
const lifeMs = { min: 50, max: 4000 }

const names = ['redhead', 'redheadAgain', 'brunette', 'longHair'] as const satisfies PortraitName[]

/** Small, so that one run has many orders. */
export const smallPortraits = (): Promise<Uint8Array[]> =>
  Promise.all(
    names.map(async (name) =>
      testCodecs.encodeJpeg({ image: shrinkImage(await portraitImage(name), side, side), quality: 85 }),
    ),
  )

/** Receives webhooks: event ids by folder. */
export async function openReceiver() {
  const received = new Map<string, Set<string>>()
  let deliveries = 0
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    deliveries++
    const { folder_id } = JSON.parse(Buffer.concat(chunks).toString()) as { folder_id: string }
    const events = received.get(folder_id) ?? new Set()
    received.set(folder_id, events.add(String(req.headers['x-vivace-event-id'])))
    res.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    deliveries: () => deliveries,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  }
}

const databaseOf = ({ dataDir }: Service) => openServedDatabase(databaseUrlIn(dataDir))

/** Reads the database between two runs of the server. */
async function inDatabase<T>(
  service: Service,
  work: (client: ReturnType<typeof databaseOf>) => Promise<T>,
): Promise<T> {
  const client = databaseOf(service)
  try {
    return await work(client)
  } finally {
    client.close()
  }
}

async function livesUnderLoad(
  load: Load,
  kills: number,
  say: (text: string) => void,
  also: (isOver: () => boolean) => Promise<void>,
): Promise<void> {
  const { service } = load
  const random = generator(20261120)
  let isOver = false
  const running = Promise.all([runLoad(load, () => isOver), also(() => isOver)])
  for (let kill = 1; kill <= kills; kill++) {
    await pause(lifeMs.min + random() * (lifeMs.max - lifeMs.min))
    await service.kill()
    await service.start()
    const { folders, media, analyses } = load.acknowledged
    say(`kill ${kill} of ${kills}: ${folders.size} folders, ${media.size} media, ${analyses.size} analyses`)
  }
  isOver = true
  await running
}

/** Makes scheduled file deletions due now. */
async function sweepNow(service: Service): Promise<boolean> {
  await inDatabase(service, (client) => client.execute('update blob_removals set due_at = 0'))
  await service.start()
  const isEmpty = await inDatabase(service, async (client) => {
    for (let looks = 0; looks < 100; looks++) {
      if ((await client.execute('select 1 from blob_removals limit 1')).rows.length === 0) return true
      await pause(100)
    }
    return false
  })
  await service.stop()
  return isEmpty
}

/**
 * @param kills how often the server dies
 * @returns broken promises
 */
export async function killPart(kills: number, say: (text: string) => void): Promise<string[]> {
  const counts = new Map<string, number>()
  const fault = (text: string) => void counts.set(text, (counts.get(text) ?? 0) + 1)
  const receiver = await openReceiver()
  const service = await Service.prepare({
    ASSESS_WORKERS: '2',
    SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
    SVC_ANALYSE_ATTEMPT_DELAY: '1',
  })
  const mediaDir = path.join(service.dataDir, 'media')
  try {
    await service.start()
    const admin = await service.signIn()
    const accounts = []
    for (const name of ['One', 'Two'])
      accounts.push(await service.createUser(admin, await service.createCompany(admin, name), 'CLIENT'))
    await inDatabase(service, watchStates)
    const acknowledged = new Acknowledged()
    const photos = await smallPortraits()
    const load: Load = { service, accounts, photos, endpoint: receiver.url, acknowledged }
    const manager = await service.createUser(admin, accounts[0]!.companyId, 'CLIENT_ADMIN')
    const persons = await openList(load, manager)
    await livesUnderLoad(load, kills, say, (isOver) => runPersons(load, manager, persons, isOver))
    for (const text of acknowledged.faults) fault(text)
    if (!(await inDatabase(service, allEnded))) fault('some analyses do not end')
    await checkAcknowledged(load, admin, fault)
    await checkPersons(load, admin, persons, fault)
    if ((await service.stop()) !== 0) fault('the server did not end in order')

    const before = await inDatabase(service, async (client) => {
      await checkDatabase(client, fault)
      await checkTemplates(client, fault)
      await checkUsage(client, acknowledged.analyses.size, fault)
      await checkStatistics(client, fault)
      const leftovers = await checkFiles(client, mediaDir, fault)
      say(`${leftovers} files of broken requests wait for their removal`)
      return checkEnds(client, fault)
    })
    if (!(await sweepNow(service))) fault('files that must go stay')
    await inDatabase(service, async (client) => {
      await checkFiles(client, mediaDir, fault)
      const after = await checkEnds(client, fault)
      for (const [id, time] of before.updatedAt)
        if (after.updatedAt.get(id) !== time) fault('an ended analysis has changed')
      const waiting = await checkEvents(client, receiver.received, fault)
      const { folders, media, analyses, reports, unanswered } = acknowledged
      say(
        `acknowledged: ${folders.size} folders, ${media.size} media, ${analyses.size} analyses, ${reports.size} reports, ${persons.enrolled.size} persons (${persons.removed.size} removed); ${unanswered} requests unanswered`,
      )
      const failed = [...after.failed].map(([code, count]) => `${count} × ${code}`).join(', ')
      const attempts = [...after.attempts].sort(([a], [b]) => a - b).map(([n, count]) => `${count} × ${n}`)
      say(`ended: ${after.finished} finished, ${failed || '0'} failed; attempts: ${attempts.join(', ')}`)
      say(`webhooks: ${receiver.deliveries()} for ${receiver.received.size} folders, ${waiting} still wait`)
    })
  } finally {
    service.server.process.kill('SIGKILL')
    await receiver.close()
    await service.remove()
  }
  return [...counts].map(([text, count]) => (count > 1 ? `${text} (${count} times)` : text))
}
