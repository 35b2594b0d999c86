/** What operators wrote about an analysis is removed with it. */
import { and, eq, sql } from 'drizzle-orm'
import type { Queries } from '../database.ts'
import { analyses, decisions, folders } from '../schema.ts'

/**
 * Within the transaction that removes an analysis, before it does: empties the comments of the decisions that name it, with their copies
 * on other analyses and on the folder.
 */
export async function dropComments(queries: Queries, analysisId: string): Promise<void> {
  const emptied = await queries
    .update(decisions)
    .set({ comment: '' })
    .where(
      sql`${decisions.folderNumber} = (select ${analyses.folderNumber} from ${analyses} where ${eq(analyses.id, analysisId)}) and instr(${decisions.analysisIds}, ${sql.param(analysisId, analyses.id)}) > 0`,
    )
    .returning()
  // Decisions of 1.0.0 are known by author and time alone.
  for (const { folderNumber, authorId, createdAt } of emptied) {
    await queries
      .update(analyses)
      .set({ operator: sql`json_set(${analyses.operator}, '$.comment', '')` })
      .where(
        and(
          eq(analyses.folderNumber, folderNumber),
          sql`case when json_valid(${analyses.operator}) then ${analyses.operator} ->> 'authorId' = ${authorId} and ${analyses.operator} ->> 'atMs' = ${createdAt} else 0 end`,
        ),
      )
    await queries
      .update(folders)
      .set({ operatorComment: null })
      .where(
        and(
          eq(folders.number, folderNumber),
          eq(folders.reviewAuthorId, authorId),
          eq(folders.reviewAt, createdAt),
        ),
      )
  }
}
