/** Statistics and usage, in the database or, without one, in the log. */
import { wireType } from '../contract/full/analysis-views/registry.ts'
import { describeCause } from '../errors.ts'
import type { Platform } from '../platform/platform.ts'
import { StatisticsService } from '../statistics/statistics-service.ts'
import { UsageLog } from '../statistics/usage-log.ts'
import type { Stores } from './stores.ts'

export const composeStatistics = (
  { nowMs }: Platform,
  { statistics, usage, companies }: Stores,
  onError: (error: unknown) => void,
) => new StatisticsService({ statistics, usage, companies, nowMs, onError })

/** Usage of a server without a database. */
export const composeUsageLog = ({ nowMs, log }: Pick<Platform, 'nowMs' | 'log'>) =>
  new UsageLog({
    nowMs,
    onError: (error) => log('error', 'background', { cause: describeCause(error) }),
    write: (fromMs, counts) =>
      log('info', 'usage', {
        hour: new Date(fromMs).toISOString(),
        counts: counts.map(({ companyId, type, count }) => ({
          company_id: companyId,
          type: wireType(type),
          count,
        })),
      }),
  })
