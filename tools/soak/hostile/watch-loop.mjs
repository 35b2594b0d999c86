/**
 * Loaded into the server under test by `--import`: at each SIGUSR2 tells for how long its loop was held at most since the last
 * one. Linux tells the processor's time of the thread, which other work on the machine does not change; elsewhere it is
 * the time on the clock.
 */
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Milliseconds between two looks. */
const resolution = 5

function processorMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return null
  }
}

/** Between two turns of a timer lies one turn of the loop at least. */
function watchProcessor() {
  let before = processorMs()
  let longestMs = 0
  setInterval(() => {
    const now = processorMs()
    longestMs = Math.max(longestMs, now - before)
    before = now
  }, resolution).unref()
  return () => {
    const heldMs = longestMs
    longestMs = 0
    return heldMs
  }
}

function watchClock() {
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  return () => {
    const heldMs = Math.max(0, delays.max / 1e6 - resolution)
    delays.reset()
    return heldMs
  }
}

if (isMainThread) {
  const heldMs = processorMs() === null ? watchClock() : watchProcessor()
  process.on('SIGUSR2', () => {
    process.stdout.write(`${JSON.stringify({ event: 'loop held', ms: heldMs() })}\n`)
  })
}
