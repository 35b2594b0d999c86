/** Folder lists over HTTP in a large database: every filter, for clients of one company and for an administrator. */
import type { Account, Service } from '../soak/service.ts'
import { quantile } from './quantiles.ts'

/** Values for filters, taken from a folder of the caller's company. */
export interface Sample {
  folderId: string
  userId: string
  transactionId: string
  nowMs: number
}

interface Query {
  name: string
  search: Readonly<Record<string, string>>
  /** Filters without an index are reported, but have no target. */
  isIndexed: boolean
}

export interface ListTime {
  name: string
  caller: string
  isIndexed: boolean
  total: number
  /** With the total number of matches. */
  withTotal: { p50Ms: number; p95Ms: number }
  /** Without it. */
  withoutTotal: { p50Ms: number; p95Ms: number }
}

const dayMs = 86_400_000

/** All documented filters of folders with an index, and those of JSON results, which have none. */
function listQueries({ folderId, userId, transactionId, nowMs }: Sample): Query[] {
  const indexed: Record<string, Record<string, string>> = {
    'no filter': {},
    'offset 10000': { offset: '10000' },
    with_analyses: { with_analyses: 'true' },
    'resolution_status=FINISHED': { resolution_status: 'FINISHED' },
    'resolution_status=FAILED': { resolution_status: 'FAILED' },
    'system_resolution=SUCCESS': { system_resolution: 'SUCCESS' },
    'system_resolution=OPERATOR_REQUIRED': { system_resolution: 'OPERATOR_REQUIRED' },
    'time_created, a week': {
      'time_created.min': String(nowMs - 107 * dayMs),
      'time_created.max': String(nowMs - 100 * dayMs),
    },
    'time_created, half a year': { 'time_created.min': String(nowMs - 180 * dayMs) },
    'time_updated, a week': {
      'time_updated.min': String(nowMs - 107 * dayMs),
      'time_updated.max': String(nowMs - 100 * dayMs),
    },
    'time_updated, half a year': { 'time_updated.min': String(nowMs - 180 * dayMs) },
    'time_updated, sorted by it': {
      'time_updated.min': String(nowMs - 180 * dayMs),
      sorting: 'time_updated{desc}',
    },
    user_id: { user_id: userId },
    folder_id: { folder_id: folderId },
    'operator_status=SUCCESS': { operator_status: 'SUCCESS' },
    'is_cleared=true': { is_cleared: 'true' },
    'meta_data, rare value': { meta_data: `transaction_id==${transactionId}` },
    'meta_data, common value': { meta_data: 'channel==mobile' },
    'meta_data, 1 of 30': { meta_data: 'region==region-7' },
    'meta_data, two values': { meta_data: 'channel==mobile,region==region-7' },
    'meta_data, rare, analyses, since': {
      meta_data: `transaction_id==${transactionId}`,
      with_analyses: 'true',
      'time_created.min': String(nowMs - 366 * dayMs),
    },
    'analyse.type=BIOMETRY': { 'analyse.type': 'BIOMETRY' },
    'analyse.resolution_status=SUCCESS': { 'analyse.resolution_status': 'SUCCESS' },
    'analyse.resolution_status=DECLINED': { 'analyse.resolution_status': 'DECLINED' },
    'analyse.time_created, a week': {
      'analyse.time_created.min': String(nowMs - 107 * dayMs),
      'analyse.time_created.max': String(nowMs - 100 * dayMs),
    },
    'analyse.type, status': { 'analyse.type': 'BIOMETRY', 'analyse.resolution_status': 'DECLINED' },
    'analyse.type, status, half a year': {
      'analyse.type': 'BIOMETRY',
      'analyse.resolution_status': 'DECLINED',
      'analyse.time_created.min': String(nowMs - 182 * dayMs),
    },
  }
  const unindexed: Record<string, Record<string, string>> = {
    'meta_data, number over 2': { meta_data: 'attempt>2' },
    'meta_data, other than': { meta_data: 'channel!=mobile' },
    'results_data, score over 0.9': { results_data: 'max_confidence>0.9' },
    'results_media_results_data, score over 0.1': {
      results_media_results_data: 'confidence_spoofing>0.1',
      with_results_media_filter: 'true',
    },
    search_text: { search_text: transactionId.slice(0, 8) },
  }
  const all = (queries: typeof indexed, isIndexed: boolean) =>
    Object.entries(queries).map(([name, search]) => ({ name, search, isIndexed }))
  return [...all(indexed, true), ...all(unindexed, false)]
}

async function times(
  service: Service,
  { token }: Account,
  search: Readonly<Record<string, string>>,
  runs: number,
): Promise<{ total: number; ms: number[] }> {
  const query = new URLSearchParams({ limit: '100', ...search })
  const ms: number[] = []
  let total = 0
  for (let run = -1; run < runs; run++) {
    const start = performance.now()
    const { status, json } = await service.send(token, 'GET', `/api/folders/?${query}`)
    if (status !== 200) throw new Error(`a list was answered ${status}: ${service.server.lines().slice(-2)}`)
    if (run >= 0) ms.push(performance.now() - start)
    total = json.total_count ?? json.items.length
  }
  return { total, ms }
}

const summary = (ms: readonly number[]) => ({ p50Ms: quantile(ms, 0.5), p95Ms: quantile(ms, 0.95) })

/** @param runs sequential calls per filter, after one warm-up call */
export async function measureLists(
  service: Service,
  callers: readonly { name: string; account: Account; sample: Sample }[],
  runs: number,
): Promise<ListTime[]> {
  const measured: ListTime[] = []
  for (const { name: caller, account, sample } of callers) {
    for (const { name, search, isIndexed } of listQueries(sample)) {
      const counted = await times(service, account, search, runs)
      const uncounted = await times(service, account, { ...search, total_omit: 'true' }, runs)
      measured.push({
        name,
        caller,
        isIndexed,
        total: counted.total,
        withTotal: summary(counted.ms),
        withoutTotal: summary(uncounted.ms),
      })
    }
    process.stderr.write(`lists of ${caller}\n`)
  }
  return measured
}
