/**
 * `npm run bench -- statistics [--analyses 1000000] [--runs 20] [--json FILE]`: statistics over HTTP, in an embedded file, of
 * many analyses of 20 companies within a year, and the bytes of the counts.
 */
import { readFile } from 'node:fs/promises'
import type { Client } from '@libsql/client'
import { analysisTypes, resolutions, states } from '../../src/storage/folders/analysis-summary.ts'
import { databaseUrlIn, openServedDatabase } from '../../test/fixtures/database.ts'
import { idBytes } from '../../test/fixtures/stored-words.ts'
import { type Account, Service } from '../soak/service.ts'
import { quantile } from './quantiles.ts'

interface StatisticsBench {
  analyses: number
  /** Rows of counts, and the bytes of their pages. */
  rows: number
  bytes: number
  queries: { name: string; caller: string; groups: number; p50Ms: number; p95Ms: number }[]
}

const companiesCount = 20
const batch = 50_000
const yearMs = 365 * 86_400_000

const queries: Record<string, string> = {
  'no parameter': '',
  'group_by=system_resolution,type': 'group_by=system_resolution,type',
  'group_by=day, a year': 'group_by=day&limit=5000&time_created.min=YEAR',
  'group_by=day,type, a year': 'group_by=day,type&limit=5000&time_created.min=YEAR',
  'group_by=hour, a month': 'group_by=hour&limit=5000&time_created.min=MONTH',
  'group_by=company_id': 'group_by=company_id',
  'type=QUALITY, odd hours': 'type=QUALITY&time_created.min=ODD',
}

const random = (count: number): string => `abs(random() % ${count})`
const drawn = (
  shares: readonly (readonly [percent: number, word: (typeof resolutions)[number]])[],
): string => {
  let sum = 0
  const branches = shares.map(([percent, word]) => {
    sum += percent
    return `when luck < ${sum} then ${resolutions.indexOf(word)}`
  })
  return `case ${branches.join(' ')} end`
}

/** Two analyses of each folder: types, verdicts, latencies and scores as a service has them. */
async function fill(client: Client, companies: readonly string[], analyses: number): Promise<void> {
  const ids = companies.map(idBytes)
  const companyOf = `case ${random(companies.length)} ${ids.map((id, at) => `when ${at} then ${id}`).join(' ')} end`
  const finished = resolutions.indexOf('FINISHED')
  const liveness = analysisTypes.indexOf('liveness')
  const verification = analysisTypes.indexOf('verification')
  for (let done = 0; done < analyses / 2; done += batch) {
    const count = Math.min(batch, analyses / 2 - done)
    await client.batch(
      [
        'create temp table if not exists plan (company blob, at integer)',
        'delete from plan',
        `insert into plan with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
         select ${companyOf}, ${Date.now()} - ${random(yearMs)} from n`,
        `insert into folders (id, company_id, resolution_status, system_resolution, metadata, created_at, updated_at)
         select randomblob(16), company, ${finished}, ${finished}, '{}', at, at from plan`,
        ...[liveness, verification].map(
          (
            type,
          ) => `insert into analyses (id, folder_number, company_id, group_id, type, state, resolution_status,
             system_resolution, parameters, evidence, media, metadata, attempts, created_at, updated_at)
           select randomblob(16), number, company_id, randomblob(16), ${type}, ${states.indexOf('FINISHED')}, verdict, verdict,
             '{}', case ${type} when ${liveness} then json_object('worstAttack', score)
               else json_object('pairs', json_array(json_object('score', score))) end,
             x'00', '{}', 1, created_at, created_at + took
           from (select *, ${drawn([
             [85, 'SUCCESS'],
             [10, 'DECLINED'],
             [3, 'FAILED'],
             [2, 'OPERATOR_REQUIRED'],
           ])} as verdict, ${random(1000)} / 1000.0 as score, 300 + ${random(700)} * ${random(8)} as took
             from (select *, ${random(100)} as luck from folders order by number desc limit ${count}))`,
        ),
      ],
      'write',
    )
    process.stderr.write(`\r${2 * (done + count)} analyses `)
  }
  process.stderr.write('\n')
}

/** Verdicts count one by one, which takes too long for so many. */
async function countAll(client: Client): Promise<void> {
  const statements = await readFile('tools/bench/count-statistics.sql', 'utf8')
  await client.batch(statements.split('--> statement-breakpoint'), 'write')
}

async function ask(service: Service, { token }: Account, search: string, runs: number) {
  const hourS = 3600
  const now = Math.floor(Date.now() / 1000)
  const query = search
    .replace('YEAR', String(now - 365 * 24 * hourS))
    .replace('MONTH', String(now - 30 * 24 * hourS))
    .replace('ODD', String(now - 100 * 24 * hourS - 5 * hourS))
  const ms: number[] = []
  let groups = 0
  for (let run = -1; run < runs; run++) {
    const start = performance.now()
    const { status, json } = await service.send(token, 'GET', `/api/statistics?${query}`)
    if (status !== 200) throw new Error(`statistics were answered ${status}`)
    if (run >= 0) ms.push(performance.now() - start)
    groups = json.total_count
  }
  return { groups, p50Ms: quantile(ms, 0.5), p95Ms: quantile(ms, 0.95) }
}

/** Measures with a temporary server. @param runs sequential calls per query, after one warm-up call */
export async function measureStatistics(analyses: number, runs: number): Promise<StatisticsBench> {
  const service = await Service.prepare({ ASSESS_WORKERS: '1' })
  try {
    await service.start()
    const admin = await service.signIn()
    const companies: string[] = []
    for (let number = 0; number < companiesCount; number++)
      companies.push(await service.createCompany(admin, `Company ${number}`))
    const manager = await service.createUser(admin, companies[0]!, 'CLIENT_ADMIN')
    await service.stop()
    const client = openServedDatabase(databaseUrlIn(service.dataDir))
    await fill(client, companies, analyses)
    await countAll(client)
    const { rows } = await client.execute(
      "select (select count(*) from statistics) as count, (select sum(pgsize) from dbstat where name = 'statistics') as bytes",
    )
    client.close()
    await service.start()
    const measured: StatisticsBench['queries'] = []
    for (const [caller, account] of Object.entries({ ADMIN: admin, CLIENT_ADMIN: manager }))
      for (const [name, search] of Object.entries(queries))
        measured.push({ name, caller, ...(await ask(service, account, search, runs)) })
    await service.stop()
    const { count, bytes } = rows[0]!
    return { analyses, rows: Number(count), bytes: Number(bytes), queries: measured }
  } finally {
    service.server.process.kill('SIGKILL')
    await service.remove()
  }
}

/** Formats the results as text. */
export function statisticsText({ analyses, rows, bytes, queries }: StatisticsBench): string {
  return [
    `${analyses} analyses: ${rows} counts, ${(bytes / 2 ** 20).toFixed(0)} MB`,
    ...queries.map(
      ({ caller, name, groups, p50Ms, p95Ms }) =>
        `${caller.padEnd(14)}${name.padEnd(34)}${String(groups).padStart(6)} groups, p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms`,
    ),
  ].join('\n')
}
