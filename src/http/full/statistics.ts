/** Statistics of analyses. */

import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { statisticsAnswer } from '../../contract/answers/others.ts'
import { statisticsFields } from '../../contract/full/list-fields.ts'
import { slicePage } from '../../contract/full/list-view.ts'
import { groupingNames, parseStatisticsQuery } from '../../contract/full/statistics-query.ts'
import {
  compareGroups,
  countsView,
  groupView,
  rangeView,
  type ThresholdsOf,
  usageView,
} from '../../contract/full/statistics-view.ts'
import type { Settings } from '../../settings.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint, json } from '../describe-endpoint.ts'
import { nameIgnored, readSearch } from '../list-query.ts'
import { reply } from '../reply.ts'

const description = describeEndpoint({
  tag: 'Statistics',
  summary:
    'Counts, latencies and scores of analyses by company, type, verdict, day or hour; usage for billing',
  answers: { 200: json('The groups, their sum, and the usage', statisticsAnswer) },
  list: statisticsFields,
  query: {
    group_by: {
      text: 'Members of the groups, separated by commas',
      schema: { type: 'array', items: { type: 'string', enum: groupingNames } },
    },
  },
})

function thresholdsBy(settings: Settings): ThresholdsOf {
  const { spoofingThreshold, matchThresholdMin, matchThresholdMax, collectionFalseHitsMax } = settings
  const match = [...new Set([matchThresholdMin, matchThresholdMax])]
  const thresholds = {
    liveness: [spoofingThreshold],
    verification: match,
    // Else it rises with the size of the collection.
    identification: collectionFalseHitsMax === 0 ? match : [],
    documents: [],
  }
  return (type) => thresholds[type]
}

export const statisticsRoutes = ({ platform, settings }: Deps, { statistics }: PersistentServices) =>
  new Hono<AppEnv>().get('/', description, async (c) => {
    const scope = c.var.authority.list('statistics')
    const { page, query } = parseStatisticsQuery(readSearch(c), platform.nowMs())
    nameIgnored(c, page.ignored)
    const { groups, total, usage } = await statistics.read(query, scope)
    const thresholdsOf = thresholdsBy(settings)
    const ordered = [...groups].sort(compareGroups(page.sorting[0]?.direction ?? 'desc'))
    return reply(c, {
      offset: page.offset,
      limit: page.limit ?? -1,
      total_count: page.totalOmit ? null : ordered.length,
      items: slicePage(ordered, page).map(groupView(query, thresholdsOf)),
      time_created: rangeView(query),
      total: total && countsView(total, thresholdsOf),
      billing: usageView(usage, query.range.fromMs),
    })
  })
