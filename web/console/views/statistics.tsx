/** Volume, outcome, latency and scores of analyses. */
import type { Statistics as StatisticsAnswer, StatisticsGroup } from '../../../client/index.ts'
import {
  formatDay,
  formatDecimal,
  formatHour,
  formatNumber,
  formatScore,
  t,
  withSeconds,
  word,
} from '../language.ts'
import { useLoaded } from '../load.ts'
import { Columns, Lines, roundUp } from '../parts/charts.tsx'
import { CompanyFilter } from '../parts/company-filter.tsx'
import { ChoiceField } from '../parts/forms.tsx'
import { Card, Empty, Facts, Show, View } from '../parts/layout.tsx'
import { route, setQuery } from '../route.ts'
import { api } from '../session.ts'
import { stateWords, typeWords } from '../words.ts'

const hourS = 3600
const dayS = 24 * hourS

/** Ranges by their length, and the width of a column. */
const ranges = {
  day: { lengthS: dayS, unit: 'hour', stepS: hourS },
  week: { lengthS: 7 * dayS, unit: 'day', stepS: dayS },
  month: { lengthS: 30 * dayS, unit: 'day', stepS: dayS },
  year: { lengthS: 365 * dayS, unit: 'day', stepS: dayS },
} as const
type RangeName = keyof typeof ranges
const isRange = (name: string | null): name is RangeName => name !== null && Object.hasOwn(ranges, name)

const outcomes = [
  ['SUCCESS', 'good'],
  ['OPERATOR_REQUIRED', 'open'],
  ['DECLINED', 'bad'],
  ['FAILED', 'none'],
] as const

interface Plotted {
  /** Groups by time, oldest first; times without an analysis are missing. */
  overTime: StatisticsAnswer
  byType: StatisticsAnswer
}

async function loadStatistics(signal: AbortSignal): Promise<Plotted> {
  const { query } = route.peek()
  const name = query.get('range')
  const { lengthS, unit } = ranges[isRange(name) ? name : 'month']
  const common = {
    company_id: query.get('company') ?? undefined,
    type: query.get('type') ?? undefined,
    'time_created.min': Math.floor(Date.now() / 1000 - lengthS),
    limit: -1,
  }
  const [overTime, byType] = await Promise.all([
    api('GET /api/statistics', {
      query: { ...common, group_by: unit, sorting: 'time_created{asc}' },
      signal,
    }),
    api('GET /api/statistics', { query: { ...common, group_by: 'type' }, signal }),
  ])
  return { overTime, byType }
}

/** A group for each step of the range, those without an analysis included. */
function fillSteps({ items, time_created: { min, max } }: StatisticsAnswer, stepS: number) {
  const known = new Map(items.map((group) => [group.time_created, group]))
  const steps: { time: number; group: StatisticsGroup | null }[] = []
  for (let time = Math.floor(min / stepS) * stepS; time < max; time += stepS)
    steps.push({ time, group: known.get(time) ?? null })
  return steps
}

/** @param quantile such as `p95` */
const withinOf = (quantile: string): string => t('{count} of 100 within', { count: quantile.slice(1) })

const seconds = (value: number): string => withSeconds(formatNumber(Number(value.toPrecision(2))))

function Plots({ plotted: { overTime, byType }, stepS }: { plotted: Plotted; stepS: number }) {
  const steps = fillSteps(overTime, stepS)
  const textOf = (time: number) => (stepS < dayS ? formatHour(time) : formatDay(time))
  const series = outcomes.map(([name, colour]) => ({ name: word(name, stateWords), colour }))
  const placed = steps.map(({ time, group }, place) => ({
    text: textOf(time),
    at: (place + 0.5) / steps.length,
    group,
  }))
  const latencies = (quantile: 'p50' | 'p95') =>
    placed.flatMap(({ at, group }) => {
      const value = group?.latency[quantile] ?? null
      return value === null ? [] : [{ at, value }]
    })
  const slowest = Math.max(0, ...latencies('p95').map(({ value }) => value))
  const { total } = byType
  if (!total || total.count === 0) return <Empty>{t('Nothing was analysed in this time.')}</Empty>
  return (
    <>
      <ul class="numbers">
        <li>
          <strong>{formatNumber(total.count)}</strong>
          {t('analyses')}
        </li>
        {outcomes.map(([name, colour]) => (
          <li key={name} class={colour}>
            <strong>{formatNumber(total.system_resolutions[name] ?? 0)}</strong>
            {word(name, stateWords)}
          </li>
        ))}
      </ul>
      <Card title={t('Outcome')}>
        <Columns
          label={t('Analyses by time and outcome')}
          series={series}
          columns={placed.map(({ text, group }) => ({
            text,
            values: outcomes.map(([name]) => group?.system_resolutions[name] ?? 0),
          }))}
        />
      </Card>
      {slowest > 0 && (
        <Card title={t('Latency')}>
          <p class="hint">{t('From the request to the verdict.')}</p>
          <Lines
            label={t('Latency by time')}
            range={[0, roundUp(slowest)]}
            format={seconds}
            ticks={placed.map(({ at, text }) => ({ at, text }))}
            lines={[
              { name: t('half of the analyses within'), colour: 'accent', points: latencies('p50') },
              { name: withinOf('p95'), colour: 'open', points: latencies('p95') },
            ]}
          />
          <Facts
            of={(['p50', 'p90', 'p95', 'p99'] as const).map(
              (name) =>
                [withinOf(name), total.latency[name] === null ? null : seconds(total.latency[name])] as const,
            )}
          />
        </Card>
      )}
      {byType.items.map(({ type, scores }) =>
        type && scores && scores.count > 0 ? (
          <Card key={type} title={t('Scores: {type}', { type: word(type, typeWords) })}>
            {scores.thresholds.length > 0 && (
              <p class="hint">
                {t('The line is the threshold of the service, unless a request sets another:')}{' '}
                {scores.thresholds.map((threshold) => formatScore(threshold)).join(', ')}
              </p>
            )}
            <Columns
              label={t('Number of analyses by score')}
              thresholds={scores.thresholds}
              series={[{ name: word(type, typeWords), colour: 'accent' }]}
              columns={scores.bins.map((count, place) => ({
                text: formatDecimal(place / scores.bins.length, 2),
                values: [count],
              }))}
            />
          </Card>
        ) : null,
      )}
    </>
  )
}

export function Statistics() {
  const { query } = route.value
  const name = query.get('range')
  const range = isRange(name) ? name : 'month'
  const loaded = useLoaded(loadStatistics, [query.toString()])
  return (
    <View title={t('Statistics')}>
      <search class="filters">
        <ChoiceField
          label={t('Time')}
          value={range}
          options={[
            ['day', t('24 hours')],
            ['week', t('7 days')],
            ['month', t('30 days')],
            ['year', t('A year')],
          ]}
          onValue={(chosen) => setQuery({ range: chosen })}
        />
        <ChoiceField
          label={t('Analysis')}
          value={query.get('type') ?? ''}
          options={[
            ['', t('All')],
            ...Object.keys(typeWords).map((type) => [type, word(type, typeWords)] as const),
          ]}
          onValue={(type) => setQuery({ type })}
        />
        <CompanyFilter value={query.get('company') ?? ''} onValue={(company) => setQuery({ company })} />
      </search>
      <Show of={loaded}>{(plotted) => <Plots plotted={plotted} stepS={ranges[range].stepS} />}</Show>
    </View>
  )
}
