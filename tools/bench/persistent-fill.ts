/** Fills a database with many orders by copying one that the service has made. */
import type { Client } from '@libsql/client'
import { analysisSummaryMask, resolutions, states } from '../../src/storage/folders/analysis-summary.ts'
import { idBytes } from '../../test/fixtures/stored-words.ts'

interface FillPlan {
  folders: number
  /** A company and its users; the first user has a quarter of all folders, the others share the rest. */
  companies: readonly { companyId: string; userIds: readonly string[] }[]
  /** Folder with two media and two analyses. */
  template: string
  nowMs: number
}

const batch = 10_000
const yearMs = 365 * 86_400_000

const uuid = 'randomblob(16)'
const uuidText = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`
const resolution = (name: (typeof resolutions)[number]): string => String(resolutions.indexOf(name))
const analysed = (resolutionStatus: (typeof resolutions)[number]): number =>
  analysisSummaryMask([
    { type: 'liveness', resolutionStatus },
    { type: 'verification', resolutionStatus },
  ])
const random = (count: number): string => `abs(random() % ${count})`

/** A SQL `case` that maps a number 0…99 to values by shares in percent. */
const shared = (number: string, shares: readonly (readonly [percent: number, value: string])[]): string => {
  let sum = 0
  const branches = shares.map(([percent, value]) => {
    sum += percent
    return `when ${number} < ${sum} then ${value}`
  })
  return `case ${branches.join(' ')} end`
}

const planTable = `create temp table plan (
  number integer primary key, folder_id blob, company_id blob, user_id blob, at integer, took integer,
  first_medium blob, second_medium blob, group_id blob,
  media_count integer, luck integer, metadata text)`

const fillPlan = `insert into plan
  with recursive numbers(number) as (select 0 union all select number + 1 from numbers where number < :count - 1),
  drawn as materialized (
    select number, ${random(100)} as luck, ${random(4)} as quarter, ${random(1e9)} as pick, ${random(100)} as shade
    from numbers),
  placed as materialized (
    select *, case when quarter = 0 then 0 else 1 + pick % (json_array_length(:companies) - 1) end as company from drawn)
  select :first + number, ${uuid}, unhex(json_extract(:companies, '$[' || company || '].companyId'), '-'),
    unhex(json_extract(:companies, '$[' || company || '].userIds[' ||
      (pick % json_array_length(:companies, '$[' || company || '].userIds')) || ']'), '-'),
    :now - abs(random() % ${yearMs}), 800 + ${random(4000)},
    ${uuid}, ${uuid}, ${uuid}, 1 + (luck % 2), luck,
    json_object('transaction_id', ${uuidText}, 'channel', ${shared('shade', [
      [60, "'mobile'"],
      [30, "'web'"],
      [10, "'kiosk'"],
    ])}, 'region', 'region-' || (pick % 30), 'consent', json('true'), 'attempt', 1 + pick % 3)
  from placed`

const isDeclined = 'luck % 20 = 0'

const folders = `insert into folders (number, id, company_id, user_id, resolution_endpoint, resolution_status,
    system_resolution, operator_status, operator_comment, review_author_id, review_at, is_cleared, metadata, created_at,
    updated_at, analysed, first_analysis_at, last_analysis_at)
  select number, folder_id, company_id, user_id, null,
    ${shared('luck', [
      [95, resolution('FINISHED')],
      [3, resolution('FAILED')],
      [2, resolution('INITIAL')],
    ])},
    ${shared('luck', [
      [84, resolution('SUCCESS')],
      [8, resolution('DECLINED')],
      [3, resolution('OPERATOR_REQUIRED')],
      [3, resolution('FAILED')],
      [2, resolution('INITIAL')],
    ])},
    iif(luck = 94, 'SUCCESS', null), iif(luck = 94, 'seen', null), iif(luck = 94, user_id, null),
    iif(luck = 94, at + 60000, null), luck = 93, metadata, at, at + took,
    iif(${isDeclined}, ${analysed('DECLINED')}, ${analysed('SUCCESS')}),
    at + 200, at + 200
  from plan`

const leaves = `insert into folder_leaves (owner, company_id, created_at, path, value)
  select number, company_id, at, leaf.key, case leaf.type when 'true' then 'true' else cast(leaf.value as text) end
  from plan, json_each(plan.metadata) as leaf`

const media = (which: 'first' | 'second') => `insert into media
    (id, folder_number, tags, original_name, original, thumbnail, sample, metadata, created_at, updated_at)
  select plan.${which}_medium, plan.number, source.tags, source.original_name, source.original, source.thumbnail,
    source.sample, source.metadata, plan.at + 100, plan.at + 100
  from plan, media as source where source.id = :${which}_medium ${which === 'second' ? 'and media_count = 2' : ''}`

const result = `iif(${isDeclined}, ${resolution('DECLINED')}, ${resolution('SUCCESS')})`

const analyses = (which: 'first' | 'second') => `insert into analyses
    (id, folder_number, company_id, group_id, type, state, resolution_status, system_resolution, parameters, evidence,
     media, output_images, models, failure, operator, metadata, attempts, due_at, leased_by, started_at, created_at,
     updated_at)
  select ${uuid}, plan.number, plan.company_id, plan.group_id, source.type, ${states.indexOf('FINISHED')},
    ${result}, ${result}, source.parameters, source.evidence,
    unhex(hex(${uuid}) || hex(first_medium) || iif(media_count = 1, '', hex(${uuid}) || hex(second_medium))),
    iif(media_count = 1, json_remove(source.output_images, '$[1]'), source.output_images), source.models, null, null,
    '{}', 1, null, null, plan.at + 200, plan.at + 200, plan.at + took
  from plan, analyses as source where source.id = :${which}_analysis`

/** Ids of the template's rows by parameter. */
async function templateIds(client: Client, folder: string): Promise<Record<string, ArrayBuffer>> {
  const idsOf = async (table: 'media' | 'analyses') => {
    const { rows } = await client.execute(
      `select id from ${table} where folder_number = (select number from folders where id = ${idBytes(folder)})
       order by number`,
    )
    return rows.map(({ id }) => id as ArrayBuffer)
  }
  const [firstMedium, secondMedium] = await idsOf('media')
  const [firstAnalysis, secondAnalysis] = await idsOf('analyses')
  return {
    first_medium: firstMedium!,
    second_medium: secondMedium!,
    first_analysis: firstAnalysis!,
    second_analysis: secondAnalysis!,
  }
}

/** Binds only the parameters that occur in a statement. */
const bound = (sql: string, values: Readonly<Record<string, string | number | ArrayBuffer>>) => ({
  sql,
  args: Object.fromEntries(Object.entries(values).filter(([name]) => new RegExp(`:${name}\\b`).test(sql))),
})

/** Half of the folders have one medium, all have two analyses; times are within the last year. */
export async function fillDatabase(client: Client, plan: FillPlan): Promise<void> {
  const ids = await templateIds(client, plan.template)
  const { rows } = await client.execute('select max(number) as number from folders')
  const first = 1 + Number(rows[0]?.number)
  for (let done = 0; done < plan.folders; done += batch) {
    const values = {
      ...ids,
      count: Math.min(batch, plan.folders - done),
      companies: JSON.stringify(plan.companies),
      now: plan.nowMs,
      first: first + done,
    }
    const transaction = await client.transaction('write')
    try {
      await transaction.execute('drop table if exists temp.plan')
      await transaction.execute(planTable)
      for (const sql of [fillPlan, folders, leaves, media('first'), media('second')])
        await transaction.execute(bound(sql, values))
      for (const which of ['first', 'second'] as const)
        await transaction.execute(bound(analyses(which), values))
      await transaction.commit()
    } finally {
      transaction.close()
    }
    process.stderr.write(`\r${Math.min(plan.folders, done + batch)} folders `)
  }
  process.stderr.write('\n')
}
