/** Reading the reports of `npm run accuracy` and `npm run bench`. */
import { describe, expect, it } from 'vitest'
import { type FileStep, parseResults, readResults } from '../../scripts/figures/read-results.ts'
import { attackFigures } from '../../tools/accuracy/attack-figures.ts'
import { clipReport } from '../../tools/accuracy/clip-report.ts'
import { identificationReport } from '../../tools/accuracy/identify-report.ts'
import { matchingFigures } from '../../tools/accuracy/matching-figures.ts'
import { padReport, verificationReport } from '../../tools/accuracy/report.ts'
import type { MeasuredMemory } from '../../tools/bench/memory.ts'
import type { MeasuredRuntime } from '../../tools/bench/runtimes.ts'
import type { SearchBench } from '../../tools/bench/search.ts'
import type { MeasuredStart } from '../../tools/bench/start.ts'
import type { Throughput } from '../../tools/bench/throughput.ts'
import type { MeasuredClip, MeasuredVideo } from '../../tools/bench/video.ts'

const facts = {
  date: '2026-01-31T10:00:00.000Z',
  machine: { cpu: 'C', cores: 2, memoryGb: 8, runtime: 'Node 20' },
}

/** Values of a current report. */
const read = <Step extends FileStep>(step: Step, report: object) =>
  parseResults(JSON.stringify({ ...facts, ...report }), { step, profile: 'standard', command: '', name: '' })
    .values

describe('results', () => {
  const wanted = {
    step: 'start',
    profile: 'embedded',
    command: 'npm run bench -- start',
    name: 'start-embedded.json',
  } as const
  const machine = { cpu: 'C', cores: 2, memoryGb: 8, runtime: 'Node 20' }
  const one = {
    workers: 1,
    startPeakMegabytes: 210.2,
    megabytes: 200.4,
    firstAnswerMs: 150.6,
    laterAnswerMs: 100.2,
  }
  const processes = [one, { ...one, workers: 2, megabytes: 240.4 }]
  const good = {
    date: '2026-01-31T10:00:00.000Z',
    machine,
    profile: 'embedded',
    runs: 3,
    startMs: 900.4,
    processes,
  }
  const answers = { firstAnswerMs: 151, laterAnswerMs: 100 }
  const parse = (report: object) => parseResults(JSON.stringify(report), wanted)

  it('results become an entry, and unknown members are ignored', () => {
    const entry = parse({ ...good, firstStartMs: null, another: 1 })
    expect(entry).toEqual({
      profile: 'embedded',
      date: '2026-01-31',
      command: wanted.command,
      machine,
      values: { runs: 3, startMs: 900, firstStartMs: null, ...answers },
    })
  })

  it('results that do not match the schema are refused with the command that makes them', () => {
    const remedy = 'MODEL_PROFILE=embedded npm run bench -- start --json start-embedded.json'
    for (const report of [
      good,
      { ...good, firstStartMs: null, machine: undefined },
      [],
      { ...good, date: 3 },
    ])
      expect(() => parse(report)).toThrow(remedy)
    expect(() => parseResults('{', wanted)).toThrow(remedy)
    expect(() => parse(good)).toThrow('firstStartMs')
  })

  it('results of another profile are refused', () => {
    expect(() => parse({ ...good, firstStartMs: null, profile: 'standard' })).toThrow('profile standard')
  })

  it('missing results are refused with the command that makes them', async () => {
    await expect(readResults('/nowhere/start-embedded.json', wanted)).rejects.toThrow(
      'start-embedded.json is missing; write it with: MODEL_PROFILE=embedded npm run bench',
    )
  })
})

describe('reports of today', () => {
  it('reads reports on pictures', () => {
    const pair = { a: 'a', b: 'b', source: 's', group: '' }
    const people = ['a', 'b'] as const
    const compared = [
      { ...pair, people: ['a', 'a'] as const, mated: true, score: 0.9, logOdds: 2 },
      { ...pair, people: ['b', 'b'] as const, mated: true, score: 0.2, logOdds: -1 },
      { ...pair, people, mated: false, score: 0.1, logOdds: -2 },
    ]
    const verification = verificationReport(compared, 0.85)
    const matching = matchingFigures(compared, 0.85)
    const sample = { file: 'f', detail: 'd' }
    const samples = [
      { ...sample, bonaFide: true, score: 0.7 },
      { ...sample, bonaFide: false, score: 0.3 },
    ]
    const pad = { ...padReport(samples, 0.5), rates: attackFigures(samples, 0.5) }
    const report = { pictures: 2, people: 2, undetected: ['x'], verification, matching, pad }
    expect(read('pictures', report)).toMatchObject({
      pictures: 2,
      people: 2,
      undetected: 1,
      pairs: 3,
      notCompared: 0,
      missed: { errors: 1, of: 2, high: expect.any(Number) },
      falseMatches: { errors: 0, of: 1 },
      missedAtFmr01Percent: { errors: 0, of: 2 },
      attacksPassed: { errors: 1, of: 1 },
      attackRates: expect.arrayContaining([
        {
          name: 'APCER, all attacks',
          of: 1,
          errors: expect.arrayContaining([{ threshold: 0.5, errors: 1 }]),
        },
      ]),
      bonaFideDeclined: { d: { errors: 1, of: 1 } },
    })
  })

  it('reads reports on searches', () => {
    const report = identificationReport(
      [
        { isMated: true, isMateFirst: true, score: 0.5 },
        { isMated: false, isMateFirst: false, score: 0.9 },
      ],
      0.85,
    )
    expect(read('identify', { ...report, people: 2, pictures: 2, splits: 1, enrolled: 1 })).toMatchObject({
      falsePositives: { errors: 1, of: 1, high: null },
      missedAtRank1: { errors: 0, of: 1 },
      missed: { errors: 1, of: 1 },
    })
  })

  it('reads reports on clips', () => {
    const clip = { name: 'c', reason: null, pad: null, attack: null, own: null, view: null, tilt: null }
    const rest = { tells: null, recurrence: null, identityDistance: null, repeatedShare: null }
    const report = clipReport(
      [
        { ...clip, ...rest, species: 'panned, folder', outcome: 'passed' },
        { ...clip, ...rest, species: 'panned, folder', outcome: 'failed' },
        { ...clip, ...rest, species: 'held, folder', outcome: 'declined' },
        { ...clip, ...rest, species: null, outcome: 'declined' },
      ],
      0.5,
    )
    expect(read('clips', { pictures: 1, report })).toEqual({
      stills: 1,
      movedPassed: expect.objectContaining({ errors: 1, of: 1 }),
      movedUndecided: 1,
      heldPassed: expect.objectContaining({ errors: 0, of: 1 }),
      heldUndecided: 0,
      peopleDeclined: expect.objectContaining({ errors: 1, of: 1 }),
      peopleUndecided: 0,
    })
  })
})

describe('benches of today', () => {
  const load = { workers: 2, callers: 2, p50Ms: 1, p95Ms: 3.14 }

  it('reads benches of photos', () => {
    const throughput: Throughput = { ...load, requests: 200, requestsPerMinute: 600.04 }
    const photos = [
      { name: 'vivace', medianMs: 100.04 },
      { name: 'another', medianMs: 200 },
    ]
    expect(read('photo', { rounds: 20, photos, throughput })).toEqual({
      medianMs: 100,
      rounds: 20,
      requestsPerMinute: 600,
      p95Ms: 3.1,
      requests: 200,
      workers: 2,
      callers: 2,
    })
  })

  it('reads benches of searches, only those on Node', () => {
    const times = { buildMs: 1, snapshotMs: null, heldMs: 1, recall: 1, p50Ms: 8.004, p95Ms: 9 }
    const row = { ...times, count: 1000, indexBytes: 1.84e5 }
    const runtimes = [
      { ...row, runtime: 'node' },
      { ...row, runtime: 'bun', p50Ms: 1 },
    ]
    const report: SearchBench = { searches: 200, peers: [], runtimes }
    expect(read('search', report)).toEqual({
      searches: 200,
      sizes: { '1000': { p50Ms: 8, p95Ms: 9, indexMb: 0.2 } },
    })
  })

  it('reads benches of clips', () => {
    const stagesMs = {} as MeasuredClip['ours']['stagesMs']
    const clip: MeasuredClip = {
      name: 'h264 mp4',
      megabytes: 1,
      native: { decodeMs: 700.6, whole: null },
      ours: { decodeMs: 1, wholeMs: 1600.4, processorMs: 1, stagesMs },
      ratio: { decode: 1, whole: null },
    }
    const report: MeasuredVideo = {
      profile: 'standard',
      decoder: 'own',
      rounds: 20,
      clips: [clip],
      service: {
        throughput: { ...load, clips: 40, clipsPerMinute: 69 },
        memory: { clips: 20, oneWorkerMb: 700, twoWorkersMb: 850, perWorkerMb: 150 },
      },
    }
    expect(read('video', report)).toEqual({
      wholeMs: 1600,
      nativeDecodeMs: 701,
      rounds: 20,
      clipsPerMinute: 69,
      p95Ms: 3,
      clips: 40,
      workers: 2,
      callers: 2,
    })
    expect(() => read('video', { ...report, clips: [] })).toThrow('h264 mp4')
    expect(() => read('video', { ...report, decoder: 'lean' })).toThrow('npm ci')
  })

  it('reads benches of starts', () => {
    const one = {
      ...{ workers: 1, processes: 7, startPeakMegabytes: null, megabytes: 200.4 },
      ...{ firstAnswerMs: 150.6, laterAnswerMs: 100.2 },
    }
    const processes = [one, { ...one, workers: 2, megabytes: 240.4 }]
    const report: MeasuredStart = {
      profile: 'standard',
      runs: 3,
      startMs: 900.4,
      leastStartMs: 800,
      startProcessorMs: 1100,
      leastStartProcessorMs: 1000,
      firstStartMs: null,
      processes,
    }
    expect(read('start', report)).toEqual({
      ...{ runs: 3, startMs: 900, firstStartMs: null },
      ...{ firstAnswerMs: 151, laterAnswerMs: 100 },
    })
  })

  it('reads benches of runtimes, with what more replicas and a database far away do', () => {
    const speed = { startMs: 610.4, firstAnswerMs: 76, laterP50Ms: 32, laterP95Ms: 37, processorMs: 33.3 }
    const node: MeasuredRuntime = {
      ...{ runtime: 'node', ...speed },
      ...{ firstProcessorMs: 1, megabytes: 1, codeKibibytes: null },
    }
    const report = {
      runtimes: [node],
      replicas: [1, 2].map((replicas) => ({ replicas, perSecond: 4 + 3.9 * (replicas - 1) })),
      delays: [{ delayMs: 20, p50Ms: 160.6 }],
    }
    expect(read('runtimes', report)).toEqual({
      checks: { node: { ...speed, startMs: 610, processorMs: 33 } },
      replicas: { 2: 1.98 },
      delays: { 20: 161 },
    })
  })

  it('reads benches of memory', () => {
    const peak = { oneWorkerMb: 210.4, moreMb: 55.5 }
    const report: MeasuredMemory = {
      ...{ profile: 'standard', processesEach: 2 },
      media: { photos: 20, largePhotos: 8, clips: 6 },
      runtimes: [
        {
          runtime: 'node',
          photos: peak,
          largePhotos: { ...peak, moreMb: -3 },
          clips: { ...peak, moreMb: null },
        },
      ],
    }
    expect(read('memory', report)).toEqual({
      node: {
        photos: { oneWorkerMb: 210, moreMb: 56 },
        largePhotos: { oneWorkerMb: 210, moreMb: 0 },
        clips: { oneWorkerMb: 210, moreMb: null },
      },
    })
  })
})
