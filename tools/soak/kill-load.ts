/** Callers of a server that is killed from time to time. They record what was acknowledged. */
import { createHash } from 'node:crypto'
import { pause } from '../../src/queue/timers.ts'
import { type Account, type Answer, photosForm, type Service } from './service.ts'

/** A medium as it was acknowledged. */
interface KeptMedium {
  folderId: string
  tags: readonly string[]
  md5: string
}

/** Everything that callers were told. */
export class Acknowledged {
  readonly folders = new Map<string, object>()
  readonly media = new Map<string, KeptMedium>()
  /** By id; the result where the answer had it already. */
  readonly analyses = new Map<string, { folderId: string; resolution: string | null }>()
  /** Links to the files of reports, by id. */
  readonly reports = new Map<string, readonly string[]>()
  /** Answers that no caller may get. */
  readonly faults: string[] = []
  /** Requests without an answer. */
  unanswered = 0
}

export interface Load {
  service: Service
  accounts: readonly Account[]
  photos: readonly Uint8Array[]
  /** The webhook address. */
  endpoint: string
  acknowledged: Acknowledged
}

const callersPerAccount = 2
const pauseMs = 50
/** Nobody answers while the server starts. */
const restartMs = 250
/** A folder is given up after this number of polls. */
const looksMax = 40
const analyses = [{ type: 'quality' }, { type: 'biometry' }]

export const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

/** An answer, or `null` if the server was killed. */
export async function answered(
  { service, acknowledged }: Load,
  ...request: Parameters<Service['send']>
): Promise<Answer | null> {
  let answer: Answer
  try {
    answer = await service.send(...request)
  } catch {
    acknowledged.unanswered++
    await pause(restartMs)
    return null
  }
  if (answer.status < 400) return answer
  // Media wait in a bounded queue; an answer of 503 tells the caller to come again.
  if (answer.status !== 503) acknowledged.faults.push(`${request[1]} was answered ${answer.status}`)
  return null
}

type ShownMedium = { media_id: string; original_name: string; tags: string[] }
type ShownAnalysis = { analysis_id: string; resolution: string }

/** Two photos under names that are this order's own. */
function twoPhotos(photos: readonly Uint8Array[], order: number): Record<string, Uint8Array> {
  return { front: photos[order % photos.length]!, other: photos[(order + 1) % photos.length]! }
}

const tagsOf = (name: string, order: number): string[] => [`order_${order}`, name]

function noteMedia(
  { acknowledged }: Load,
  folderId: string,
  photos: Readonly<Record<string, Uint8Array>>,
  shown: readonly ShownMedium[],
): void {
  for (const { media_id, original_name, tags } of shown) {
    const bytes = photos[original_name.replace('.jpg', '')]!
    acknowledged.media.set(media_id, { folderId, tags, md5: md5(bytes) })
  }
}

function mediaPayload(photos: Readonly<Record<string, Uint8Array>>, order: number): object {
  const names = Object.keys(photos)
  return { 'media:tags': Object.fromEntries(names.map((name) => [name, tagsOf(name, order)])) }
}

async function singleRequest(load: Load, { token }: Account, order: number): Promise<void> {
  const photos = twoPhotos(load.photos, order)
  const metadata = { transaction_id: crypto.randomUUID(), kind: 'single', order }
  const form = photosForm(photos, {
    'folder:meta_data': metadata,
    ...mediaPayload(photos, order),
    analyses,
    resolution_endpoint: load.endpoint,
  })
  const answer = await answered(load, token, 'POST', '/api/folders/', form)
  if (!answer) return
  const { folder_id: folderId, media, analyses: shown } = answer.json
  load.acknowledged.folders.set(folderId, metadata)
  noteMedia(load, folderId, photos, media)
  for (const { analysis_id, resolution } of shown as ShownAnalysis[])
    load.acknowledged.analyses.set(analysis_id, { folderId, resolution })
  await makeReport(load, token, folderId)
}

async function makeReport(load: Load, token: string, folderId: string): Promise<void> {
  const answer = await answered(load, token, 'POST', `/api/folders/${folderId}/reports`, {})
  if (!answer) return
  const { report_id, report_url, html_url } = answer.json
  load.acknowledged.reports.set(report_id, [report_url, html_url])
}

/** Create, upload, start, poll. Goes on where it can when the server is back. */
export async function multiRequest(load: Load, { token }: Account, order: number): Promise<void> {
  const metadata = { transaction_id: crypto.randomUUID(), kind: 'multi', order }
  const created = await answered(load, token, 'POST', '/api/folders/', { 'folder:meta_data': metadata })
  if (!created) return
  const folderId: string = created.json.folder_id
  load.acknowledged.folders.set(folderId, metadata)
  const photos = twoPhotos(load.photos, order)
  const form = photosForm(photos, mediaPayload(photos, order))
  const uploaded = await answered(load, token, 'POST', `/api/folders/${folderId}/media`, form)
  if (!uploaded) return
  noteMedia(load, folderId, photos, uploaded.json)
  const body = { analyses, resolution_endpoint: load.endpoint }
  const started = await answered(load, token, 'POST', `/api/folders/${folderId}/analyses`, body)
  if (!started) return
  const ids = (started.json as ShownAnalysis[]).map(({ analysis_id }) => analysis_id)
  for (const id of ids) load.acknowledged.analyses.set(id, { folderId, resolution: null })
  for (let looks = 0; looks < looksMax; looks++) {
    const folder = await answered(load, token, 'GET', `/api/folders/${folderId}?with_analyses=true`)
    if (['FINISHED', 'FAILED'].includes(folder?.json.resolution_status)) return
    await pause(pauseMs)
  }
}

/** Sends orders until stopped. */
export async function runLoad(load: Load, isOver: () => boolean): Promise<void> {
  let orders = 0
  const caller = async (account: Account): Promise<void> => {
    while (!isOver()) {
      const order = ++orders
      await (order % 3 === 0 ? singleRequest : multiRequest)(load, account, order)
    }
  }
  const callers = load.accounts.flatMap((account) =>
    Array.from({ length: callersPerAccount }, () => caller(account)),
  )
  await Promise.all(callers)
}
