/** Alert rules and the dashboard ask for metrics and labels that a server has, from its start. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { errorEvents, measurePlatform } from '../../../src/compose/measured-platform.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { readSettings } from '../../../src/settings.ts'
import { binary } from '../../fixtures/server.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../../..')
const alerts = path.join(root, 'deploy/monitoring/alerts.yaml')

/** The metrics of a server that has answered nothing yet. */
async function freshMetrics(): Promise<string> {
  const { metrics } = measurePlatform(
    {
      runtime: 'node',
      models: { profileName: 'embedded', profile: { assurance: 'low' } },
      assessor: { health: () => ({ ready: 1, workers: 1, waiting: 0, waitingMax: 1, replaced: 0 }) },
      persistence: { database: { isLocal: true } },
      usage: () => ({ memory: { rss: 1, heap: 1, external: 1, array_buffers: 1 }, cpuS: 0 }),
      nowMs: Date.now,
      monotonicMs: () => performance.now(),
    } as unknown as Platform,
    readSettings({ SVC_METRICS_TOKEN: 'a token of a test' }),
  )
  metrics!.describeDisk(async () => 1)
  metrics!.describeBacklog(async () => ({ analyses: 0, webhooks: 0, undeleted_files: 0, failed_removals: 0 }))
  return metrics!.registry.write()
}

/** Labels and their values by metric. */
type Series = Map<string, Map<string, Set<string>>>

function readSeries(text: string): Series {
  const series: Series = new Map()
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Map<string, Set<string>>()
    series.set(name, known)
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
      known.set(label, (known.get(label) ?? new Set()).add(value))
  }
  return series
}

/** Labels that Prometheus adds. */
const scraped = ['job', 'instance']
/** Series that appear with the first request, since their labels name its route. */
const byRoute = /^vivace_http_request(s_total|_seconds_(bucket|sum|count))$/

/** What an expression asks for and a server does not have. */
function findUnknown(expression: string, series: Series): string[] {
  return [...expression.matchAll(/\b((?:vivace|process)_\w+)(?:\{([^}]*)\})?/g)].flatMap(
    ([, name = '', selector = '']) => {
      if (byRoute.test(name)) return []
      const labels = series.get(name)
      if (!labels) return [name]
      return [...selector.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].flatMap(
        ([matcher, label = '', , text = '']) => {
          if (scraped.includes(label)) return []
          const values = labels.get(label)
          // A pattern is a list here: each of its parts must have a series, so that it matches nothing by a misspelling.
          const parts = text.split('|').map((part) => new RegExp(`^(?:${part})$`))
          const isKnown = values && parts.every((part) => [...values].some((value) => part.test(value)))
          return isKnown || (name === 'vivace_log_lines_total' && label === 'level')
            ? []
            : [`${name}{${matcher}}`]
        },
      )
    },
  )
}

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string }
}

const bun = binary('bun')

async function readRules(): Promise<Rule[]> {
  const program = 'console.log(JSON.stringify(Bun.YAML.parse(await Bun.file(process.argv[1]).text())))'
  const { stdout } = await run(bun, ['-e', program, alerts])
  return JSON.parse(stdout).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
}

async function findPromtool(): Promise<string | null> {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return folders.map((folder) => path.join(folder, 'promtool')).find((file) => existsSync(file)) ?? null
}
const promtool = await findPromtool()

describe('monitoring', () => {
  let series: Series
  beforeAll(async () => {
    series = readSeries(await freshMetrics())
  })

  it('finds a misspelt metric, label and value', () => {
    expect(findUnknown('rate(vivace_webhook_attempts{outcome="delivered"}[5m])', series)).toHaveLength(1)
    expect(findUnknown('vivace_backlog{kin="analyses"}', series)).toEqual(['vivace_backlog{kin="analyses"}'])
    expect(findUnknown('vivace_backlog{kind=~"analyses|webhook"} > 0', series)).toHaveLength(1)
    expect(findUnknown('vivace_backlog{kind=~"analyses|webhooks"} > 0', series)).toEqual([])
  })

  it.skipIf(!existsSync(bun))(
    'alert rules name metrics, labels and values that exist from the start',
    async () => {
      const rules = await readRules()
      expect(rules.length).toBeGreaterThan(10)
      for (const { alert, expr, labels, annotations } of rules) {
        expect([alert, findUnknown(expr, series)]).toEqual([alert, []])
        expect(['page', 'ticket'], alert).toContain(labels.severity)
        expect(annotations.summary, alert).not.toBe('')
      }
    },
  )

  it('the dashboard names metrics, labels and values that exist from the start', async () => {
    const { panels } = JSON.parse(await readFile(path.join(root, 'deploy/monitoring/dashboard.json'), 'utf8'))
    type Panel = { id: number; title: string; targets: { expr: string }[] }
    expect(new Set(panels.map(({ id }: Panel) => id)).size).toBe(panels.length)
    for (const { title, targets } of panels as Panel[])
      for (const { expr } of targets) expect([title, findUnknown(expr, series)]).toEqual([title, []])
  })

  it('every metric is plotted or in an alert', async () => {
    const texts = await Promise.all(
      [alerts, path.join(root, 'deploy/monitoring/dashboard.json')].map((file) => readFile(file, 'utf8')),
    )
    const names = [...series.keys()].map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))
    const unused = [...new Set(names)].filter((name) => !texts.some((text) => text.includes(name)))
    expect(unused).toEqual(['process_start_time_seconds'])
  })

  it('every event that is logged as an error has its series', async () => {
    const files = await readdir(path.join(root, 'src'), { recursive: true })
    const sources = await Promise.all(
      files
        .filter((file) => /\.ts$/.test(file))
        .map((file) => readFile(path.join(root, 'src', file), 'utf8')),
    )
    const events = sources.flatMap((source) =>
      [...source.matchAll(/log\([^()]*'error',\s*'([^']+)'/g)].map(([, event]) => event),
    )
    expect(events.length).toBeGreaterThan(5)
    expect([...new Set(events)].sort()).toEqual([...errorEvents].sort())
  })

  it.skipIf(promtool === null)('promtool accepts the alert rules and the metrics', async () => {
    const { stdout } = await run(promtool!, ['check', 'rules', alerts])
    expect(stdout).toMatch(/SUCCESS/)
    const checked = execFile(promtool!, ['check', 'metrics'])
    const ended = new Promise<[number | null, string]>((resolve) => {
      let complaints = ''
      checked.stderr!.on('data', (text) => {
        complaints += text
      })
      checked.on('close', (code) => resolve([code, complaints]))
    })
    checked.stdin!.end(await freshMetrics())
    expect(await ended).toEqual([0, ''])
  })
})
