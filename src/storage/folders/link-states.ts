/** The states of links, and the webhook events that tell them. */
import { type SQL, sql } from 'drizzle-orm'
import type { Queries } from '../database.ts'
import { analyses, folders } from '../schema.ts'
import { outbox } from '../webhooks/webhook-schema.ts'
import { captureLinkFolders, captureLinks } from './capture-link-schema.ts'
import { selectFolderNumber } from './folder-rows.ts'

/** Whether no analysis of a folder runs and no person has to decide. */
export const isSettled = sql<number>`(${folders.systemResolution} not in ('INITIAL', 'PROCESSING') and ${folders.waitingRequired} = 0)`

/** What `linkState` tells, for lists. */
export function stateAt(nowMs: number): SQL {
  const { id, used, uses, withdrawnAt, expiresAt, openedAt } = captureLinks
  const { linkId, folderNumber } = captureLinkFolders
  const isAnalysed = sql`exists (select 1 from ${analyses} where ${analyses.folderNumber} = ${folders.number})`
  const areDecided = sql`(select min(${isSettled} and ${isAnalysed}) from ${captureLinkFolders}
    join ${folders} on ${folders.number} = ${folderNumber} where ${linkId} = ${id})`
  return sql`(case
    when ${used} < ${uses} and ${withdrawnAt} is not null then 'withdrawn'
    when ${used} < ${uses} and ${expiresAt} <= ${nowMs} then 'expired'
    when ${used} = 0 then iif(${openedAt} is null, 'sent', 'opened')
    else iif(${areDecided}, 'decided', 'captured') end)`
}

/** Whether a link has an address, and another state than it has told. Captures are told when they are stored. */
export const isUntold = (nowMs: number): SQL =>
  sql`(${captureLinks.stateEndpoint} is not null and ${stateAt(nowMs)} not in ('captured', ${captureLinks.toldState}))`

/** Queues an event for each of these links that has an address. @param folderId what came by the link */
export async function queueLinkEvents(
  queries: Queries,
  which: SQL,
  state: SQL,
  nowMs: number,
  folderId: string | null = null,
): Promise<void> {
  const { id, companyId, stateEndpoint } = captureLinks
  await queries.run(sql`
    insert into ${outbox} (id, link_id, state, folder_id, company_id, url, due_at, created_at)
    select randomblob(16), ${id}, ${state}, ${sql.param(folderId, outbox.folderId)}, ${companyId}, ${stateEndpoint}, ${nowMs}, ${nowMs}
    from ${captureLinks} where ${which} and ${stateEndpoint} is not null`)
}

/**
 * Queues an event for each of these links whose state has changed, within the transaction that changed it. Links that are used up
 * or withdrawn have then told their last, and forget the address.
 */
export async function tellStates(queries: Queries, which: SQL, nowMs: number): Promise<void> {
  const { stateEndpoint, used, uses, withdrawnAt } = captureLinks
  const state = stateAt(nowMs)
  const untold = sql`${which} and ${isUntold(nowMs)}`
  await queueLinkEvents(queries, untold, state, nowMs)
  const isLast = sql`(${used} = ${uses} or ${withdrawnAt} is not null)`
  await queries
    .update(captureLinks)
    .set({ toldState: state, stateEndpoint: sql`iif(${isLast}, null, ${stateEndpoint})` })
    .where(untold)
}

/** Names the link that a folder came by. */
export const isLinkOf = (folderId: string): SQL => {
  const { linkId, folderNumber } = captureLinkFolders
  return sql`${captureLinks.id} in
    (select ${linkId} from ${captureLinkFolders} where ${folderNumber} = ${selectFolderNumber(folderId)})`
}
