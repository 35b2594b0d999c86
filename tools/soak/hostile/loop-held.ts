import path from 'node:path'
import { pause } from '../../../src/queue/timers.ts'
import { type TestServer, testedRuntime } from '../../../test/fixtures/server.ts'

const answerMs = 500

/** Settings of a server whose loop is watched. Tests and the soak run in the root folder. */
export const loopWatch = { NODE_OPTIONS: `--import=${path.resolve('tools/soak/hostile/watch-loop.mjs')}` }

/**
 * The longest time that the server's loop was held since the last call, in ms: infinite if its watch does not answer, which is asked by a signal.
 * @returns `null` on other runtimes than Node, which load no watch
 */
export async function loopHeldMs({ lines, process }: TestServer): Promise<number | null> {
  if (testedRuntime !== 'node') return null
  const told = () => lines().filter((line) => line.includes('"event":"loop held"'))
  const before = told().length
  process.kill('SIGUSR2')
  for (let waitedMs = 0; waitedMs < answerMs && told().length === before; waitedMs += 10) await pause(10)
  const line = told()[before]
  return line ? Math.round((JSON.parse(line) as { ms: number }).ms) : Number.POSITIVE_INFINITY
}
