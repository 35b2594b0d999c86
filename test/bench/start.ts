/** Measures the time from the start command to the first response of a server. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readSettings } from '../../src/settings.ts'
import { startServer } from '../fixtures/server.ts'

export interface MeasuredStart {
  profile: string
  runs: number
  /** Median with networks already built. */
  startMs: number
  /** Without built networks; `null` if the profile needs files that are unavailable. */
  firstStartMs: number | null
}

interface Start {
  ms: number
  profile: string
}

async function timeStart(environment: Record<string, string>): Promise<Start> {
  const start = performance.now()
  const server = await startServer(environment, 'node')
  const ms = performance.now() - start
  const line = server.lines().find((candidate) => candidate.includes('"event":"listening"'))!
  await server.stop()
  return { ms, profile: (JSON.parse(line) as { profile: string }).profile }
}

/** Includes downloads if the profile needs them. */
async function timeFirstStart(profile: string): Promise<number | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'models-'))
  try {
    return (await timeStart({ MODELS_DIR: folder, MODEL_PROFILE: profile })).ms
  } catch (error) {
    process.stderr.write(`no first start: ${error instanceof Error ? error.message : String(error)}\n`)
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function measureStart(runs: number): Promise<MeasuredStart> {
  const { modelProfile } = readSettings(process.env)
  // The first start bundles the sources and builds missing networks.
  const { profile } = await timeStart({ MODEL_PROFILE: modelProfile })
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    times.push((await timeStart({ MODEL_PROFILE: profile })).ms)
    process.stderr.write(`\r${run + 1} of ${runs} starts `)
  }
  process.stderr.write('\n')
  const startMs = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
  return { profile, runs, startMs, firstStartMs: await timeFirstStart(profile) }
}

export const startText = ({ profile, runs, startMs, firstStartMs }: MeasuredStart): string => {
  const first = firstStartMs === null ? 'not possible here' : `${firstStartMs.toFixed(0)} ms`
  return `profile ${profile}: listens after ${startMs.toFixed(0)} ms (median of ${runs}); first start, networks built on the way: ${first}`
}
