import { describe, expect, it } from 'vitest'
import { Registry } from '../../../src/metrics/registry.ts'
import { ServiceMetrics } from '../../../src/metrics/service-metrics.ts'

describe('the text of metrics', () => {
  it('has help, type and one line per combination of labels', async () => {
    const registry = new Registry()
    const counter = registry.counter('calls_total', 'Calls\nby "route"')
    counter.add({ route: 'a "b" \\ c\n' }, 2)
    counter.add({ route: 'a "b" \\ c\n' })
    counter.add()
    registry.counter('never_total', 'Nothing was counted')
    registry.gauge('level', 'A level', () => [{ labels: {}, value: 0.5 }])
    expect(await registry.write()).toBe(`# HELP calls_total Calls\\nby "route"
# TYPE calls_total counter
calls_total{route="a \\"b\\" \\\\ c\\n"} 3
calls_total 1
# HELP level A level
# TYPE level gauge
level 0.5
`)
  })

  it('has histograms with cumulative buckets', async () => {
    const registry = new Registry()
    const seconds = registry.histogram('seconds', 'Seconds', [0.1, 1])
    for (const value of [0.1, 0.5, 0.25, 7]) seconds.observe({ kind: 'a' }, value)
    const lines = (await registry.write()).split('\n').slice(2, -1)
    expect(lines).toEqual([
      'seconds_bucket{kind="a",le="0.1"} 1',
      'seconds_bucket{kind="a",le="1"} 3',
      'seconds_bucket{kind="a",le="+Inf"} 4',
      'seconds_sum{kind="a"} 7.85',
      'seconds_count{kind="a"} 4',
    ])
  })

  it('leaves out a backlog that cannot be read', async () => {
    const metrics = new ServiceMetrics()
    let answers = true
    metrics.describeBacklog(async () => {
      if (!answers) throw new Error('the database is away')
      return { analyses: 2, webhooks: 1, undeleted_files: 3, failed_removals: 0 }
    })
    const text = await metrics.registry.write()
    expect(text).toContain('vivace_backlog{kind="analyses"} 2')
    expect(text).toContain('vivace_backlog{kind="undeleted_files"} 3')
    answers = false
    expect(await metrics.registry.write()).not.toContain('vivace_backlog')
  })
})
