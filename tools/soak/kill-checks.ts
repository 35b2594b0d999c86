/** Checks on a database and its files after a server was killed many times. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Client, Row } from '@libsql/client'
import { pause } from '../../src/queue/timers.ts'
import { recount, storedCounts } from '../../test/fixtures/recount.ts'
import { idText, resolutionNumber, stateNumber } from '../../test/fixtures/stored-words.ts'
import type { Load } from './kill-load.ts'
import { md5 } from './kill-load.ts'
import type { Account } from './service.ts'

/** Records all state changes of analyses. */
export async function watchStates(client: Client): Promise<void> {
  await client.executeMultiple(`
    create table state_changes (analysis_id blob not null, old integer, new integer not null);
    create trigger watch_insert after insert on analyses begin
      insert into state_changes values (new.id, null, new.state);
    end;
    create trigger watch_update after update of state on analyses when new.state <> old.state begin
      insert into state_changes values (new.id, old.state, new.state);
    end;`)
}

const endsMaxMs = 60_000

async function isEmpty(client: Client, sql: string): Promise<boolean> {
  for (const start = performance.now(); performance.now() - start < endsMaxMs; await pause(100))
    if ((await client.execute(sql)).rows.length === 0) return true
  return false
}

/** Waits until no analysis is open. */
export const allEnded = (client: Client): Promise<boolean> =>
  isEmpty(client, `select 1 from analyses where state = ${stateNumber('PROCESSING')} limit 1`)

/** Waits until no webhook is queued. */
export const allSent = (client: Client): Promise<boolean> => isEmpty(client, 'select 1 from outbox limit 1')

const initial = resolutionNumber('INITIAL')
const endings = (['FINISHED', 'FAILED'] as const).map(resolutionNumber).join()

async function rows(client: Client, sql: string): Promise<Row[]> {
  return (await client.execute(sql)).rows
}

/** Checks over HTTP that everything acknowledged is stored, files included. */
export async function checkAcknowledged(
  { service, acknowledged }: Load,
  admin: Account,
  fault: (text: string) => void,
): Promise<void> {
  const get = (target: string) => service.send(admin.token, 'GET', target)
  for (const [id, metadata] of acknowledged.folders) {
    const { status, json } = await get(`/api/folders/${id}`)
    if (status !== 200) fault(`folder: ${status}`)
    else if (JSON.stringify(json.meta_data) !== JSON.stringify(metadata)) fault('folder: other metadata')
  }
  for (const [id, medium] of acknowledged.media) {
    const { status, json } = await get(`/api/media/${id}`)
    if (status !== 200) {
      fault(`medium: ${status}`)
      continue
    }
    if (json.folder_id !== medium.folderId) fault('medium: in another folder')
    if (JSON.stringify(json.tags) !== JSON.stringify(medium.tags)) fault('medium: other tags')
    const { pathname } = new URL(json.original_url)
    const file = await fetch(`${service.server.url}${pathname}`)
    if (md5(new Uint8Array(await file.arrayBuffer())) !== medium.md5) fault('medium: other bytes')
  }
  for (const [id, { folderId, resolution }] of acknowledged.analyses) {
    const { status, json } = await get(`/api/analyses/${id}`)
    if (status !== 200) fault(`analysis: ${status}`)
    else if (json.folder_id !== folderId) fault('analysis: in another folder')
    else if (resolution !== null && json.resolution !== resolution) fault('analysis: another result')
  }
  for (const [id, links] of acknowledged.reports) {
    const { status } = await get(`/api/reports/${id}`)
    if (status !== 200) fault(`report: ${status}`)
    for (const link of links) {
      const file = await fetch(`${service.server.url}${new URL(link).pathname}`)
      if (file.status !== 200 || (await file.arrayBuffer()).byteLength === 0) fault('report: no file')
    }
  }
}

interface Ended {
  finished: number
  /** By the contract's `error_code`. */
  failed: Map<number, number>
  /** Time of the last change by id. */
  updatedAt: Map<string, number>
  attempts: Map<number, number>
}

const addOne = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

/** Checks that each analysis ended once, with a reason if it failed. */
export async function checkEnds(client: Client, fault: (text: string) => void): Promise<Ended> {
  const ended: Ended = { finished: 0, failed: new Map(), updatedAt: new Map(), attempts: new Map() }
  const changes = new Map<string, number>()
  for (const { analysis_id } of await rows(
    client,
    `select ${idText('analysis_id')} as analysis_id from state_changes where new <> ${stateNumber('PROCESSING')}`,
  ))
    addOne(changes, String(analysis_id))
  const all = await rows(
    client,
    `select ${idText('id')} as id, state, failure, updated_at, attempts, leased_by from analyses`,
  )
  for (const { id, state, failure, updated_at, attempts, leased_by } of all) {
    ended.updatedAt.set(String(id), Number(updated_at))
    addOne(ended.attempts, Number(attempts))
    if (state === stateNumber('FINISHED')) ended.finished++
    else if (state === stateNumber('FAILED')) addOne(ended.failed, Number(JSON.parse(String(failure)).code))
    else fault('an analysis has not ended')
    if (leased_by !== null) fault('an ended analysis is still leased')
    if (changes.get(String(id)) !== 1) fault(`an analysis ended ${changes.get(String(id)) ?? 0} times`)
  }
  return ended
}

/** Checks that the database file is sound, and no order is stored partially. */
export async function checkDatabase(client: Client, fault: (text: string) => void): Promise<void> {
  const [integrity] = await rows(client, 'pragma integrity_check')
  if (integrity?.integrity_check !== 'ok') fault(`integrity: ${integrity?.integrity_check}`)
  if ((await rows(client, 'pragma foreign_key_check')).length > 0) fault('rows without their folder')
  const halves = await rows(
    client,
    `select 1 from folders where json_extract(metadata, '$.kind') = 'single' and (
       (select count(*) from media where folder_number = folders.number) <> 2
       or (select count(*) from analyses where folder_number = folders.number and state = ${stateNumber('FINISHED')}) <> 2)`,
  )
  if (halves.length > 0) fault(`${halves.length} single requests are there by half`)
  const odd = await rows(
    client,
    `select 1 from folders f where f.resolution_status not in (${initial}, ${endings})
       or (f.resolution_status = ${initial}) = exists (select 1 from analyses where folder_number = f.number)`,
  )
  if (odd.length > 0) fault(`${odd.length} folders have a result that their analyses do not give`)
}

/** Checks that usage counts the acknowledged analyses, and each stored one once. */
export async function checkUsage(
  client: Client,
  acknowledged: number,
  fault: (text: string) => void,
): Promise<void> {
  const [sums] = await rows(
    client,
    'select (select sum(count) from usage) as used, (select count(*) from analyses) as kept',
  )
  const used = Number(sums?.used)
  if (used < acknowledged || used !== Number(sums?.kept))
    fault(`usage says ${used} of ${acknowledged} acknowledged and ${sums?.kept} stored analyses`)
}

/** Checks that statistics count each analysis that has ended, once. */
export async function checkStatistics(client: Client, fault: (text: string) => void): Promise<void> {
  const [counted, stored] = [await storedCounts(client), await recount(client)]
  const places = new Set(
    [...Object.keys(counted), ...Object.keys(stored)].filter((key) => key.endsWith(' all 0')),
  )
  const wrong = [...places].filter((place) => counted[place] !== stored[place])
  if (wrong.length > 0) fault(`${wrong.length} of ${places.size} counts are not those of the stored analyses`)
}

/**
 * Events by folder: one for the one end it comes to. What was not received must still wait to be sent.
 * @returns how many still wait
 */
export async function checkEvents(
  client: Client,
  received: ReadonlyMap<string, ReadonlySet<string>>,
  fault: (text: string) => void,
): Promise<number> {
  const waiting = new Set(
    (await rows(client, `select ${idText('folder_id')} as folder_id from outbox`)).map((row) =>
      String(row.folder_id),
    ),
  )
  const ended = await rows(
    client,
    `select ${idText('id')} as id from folders where resolution_endpoint is not null and resolution_status in (${endings})`,
  )
  for (const { id } of ended) {
    const events = received.get(String(id))?.size ?? 0
    if (events > 1) fault(`a folder has ${events} events`)
    if (events === 0 && !waiting.has(String(id))) fault('a folder ended unannounced')
  }
  return waiting.size
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
}

/**
 * Every record has its files, and every file has its record or is entered for removal. A half-written file goes with the
 * next file of its folder that is written or deleted, so a medium or an entry there is enough.
 * @returns files that are entered for removal
 */
export async function checkFiles(
  client: Client,
  mediaDir: string,
  fault: (text: string) => void,
): Promise<number> {
  const present = new Set(await filesBelow(mediaDir))
  const idsOf = `${idText('m.id')} as id, ${idText('f.id')} as folder_id`
  const media = await rows(
    client,
    `select ${idsOf} from media m join folders f on f.number = m.folder_number`,
  )
  const needed = media.flatMap(({ id, folder_id }) => [
    `${folder_id}/${id}.jpg`,
    `${folder_id}/${id}_thumb.jpg`,
  ])
  const persons = await rows(
    client,
    `select ${idText('i.id')} as id, ${idText('p.collection_id')} as collection_id
     from person_images i join persons p on p.id = i.person_id`,
  )
  for (const { id, collection_id } of persons)
    needed.push(`${collection_id}/${id}.jpg`, `${collection_id}/${id}_thumb.jpg`)
  const best = await rows(
    client,
    `select ${idsOf} from media m join folders f on f.number = m.folder_number
     join findings on findings.medium_number = m.number
     where json_extract(findings.found, '$.bestShot') is not null`,
  )
  needed.push(...best.map(({ id, folder_id }) => `${folder_id}/${id}_best.jpg`))
  const reports = await rows(
    client,
    `select ${idText('r.id')} as id, ${idText('r.folder_id')} as folder_id from reports r`,
  )
  for (const { id, folder_id } of reports)
    needed.push(`${folder_id}/${id}_report.pdf`, `${folder_id}/${id}_report.html`)
  for (const file of needed) if (!present.has(file)) fault('a record without its file')
  const going = (await rows(client, 'select key from blob_removals')).map(({ key }) => String(key))
  for (const key of going) if (needed.includes(key)) fault('a file that is needed is entered for removal')
  const withFiles = new Set([...needed, ...going].map((key) => path.posix.dirname(key)))
  const isGoing = (file: string) =>
    going.includes(file) || (file.endsWith('.part') && withFiles.has(path.posix.dirname(file)))
  // They go with their medium: the snapshot that a report makes where there is no best shot, and the best shot of the last attempt
  // at an analysis, if that attempt was killed behind the file.
  const ofMedia = ['snapshot', 'best'].flatMap((kind) =>
    media.map(({ id, folder_id }) => `${folder_id}/${id}_${kind}.jpg`),
  )
  const kept = new Set([...needed, ...ofMedia])
  const orphans = [...present].filter((file) => !kept.has(file) && !isGoing(file))
  if (orphans.length > 0) fault(`${orphans.length} files without a record, such as ${orphans[0]}`)
  return going.filter((key) => present.has(key)).length
}
