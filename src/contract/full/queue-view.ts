/** The queue of those who decide, in answers and requests. It is of our own. */
import * as v from 'valibot'
import { type WaitingResult, waitingResults } from '../../decide/folder-result.ts'
import { AppError } from '../../errors.ts'
import type { QueueEntry } from '../../records/queue.ts'
import type { QueryParameter } from '../list/query-parameter.ts'
import type { Json } from '../spaced-json.ts'
import { seconds, secondsOrNull } from './media-view.ts'

/** A case of the queue. @param email of the one who looks at it; `null` unless the caller may read it */
export const queueEntryView = (entry: QueueEntry, email: string | null): Json => ({
  folder_id: entry.folderId,
  company_id: entry.companyId,
  analyses: entry.waiting,
  time_waiting: secondsOrNull(entry.sinceMs),
  viewer_id: entry.viewerId,
  viewer_email: email,
  viewed_until: entry.viewedUntilMs === null ? null : seconds(entry.viewedUntilMs),
})

/** Results that wait, in either case; those that need a person if none is named. */
const resultsSchema = v.nullish(
  v.pipe(
    v.array(
      v.pipe(
        v.string(),
        v.transform((word) => word.trim().toUpperCase()),
        v.picklist(waitingResults),
      ),
    ),
    v.minLength(1),
  ),
)

export const nextSchema = v.object({
  after: v.nullish(v.pipe(v.string(), v.toLowerCase(), v.uuid())),
  resolution: resultsSchema,
})

/** Parameters of the queue. */
export const queueQuery = {
  resolution: {
    text: 'Results that wait, separated by commas; OPERATOR_REQUIRED if none is named',
    schema: { type: 'array', items: { type: 'string', enum: waitingResults } },
  },
} satisfies Record<string, QueryParameter>

export const usualResults = ['OPERATOR_REQUIRED'] as const satisfies readonly WaitingResult[]

/**
 * Reads the results in a query, separated by commas.
 * @throws {AppError} `value_invalid`
 */
export function parseWaitingResults(search: URLSearchParams): readonly WaitingResult[] {
  const given = search.getAll('resolution').join(',')
  if (given.trim() === '') return usualResults
  const read = v.safeParse(resultsSchema, given.split(','))
  if (!read.success)
    throw new AppError('value_invalid', 'Invalid value for resolution', {
      details: { key_path: 'resolution', expected: `some of ${waitingResults.join(', ')}` },
      place: 'resolution',
    })
  return [...new Set(read.output ?? usualResults)]
}
