/** `replay`: posts recorded requests of another service and compares its answers with ours. */
import { type Command, exitCodes, readArguments, say, UsageError } from '../cli/command.ts'
import { Progress } from '../cli/progress.ts'
import { readRecordings } from './recording.ts'
import { type ReplayedCall, replayCalls } from './replay-calls.ts'

const words: Record<ReplayedCall['outcome'], string> = {
  same: 'same',
  scores: 'other scores',
  verdicts: 'other verdicts',
  skipped: 'not replayed',
}

const describePair = ([theirs, ours]: [string, string]): string =>
  theirs === ours ? ours : `${theirs} → ${ours}`

function describe(result: ReplayedCall): string {
  const start = `${result.place.padEnd(24)} ${words[result.outcome].padEnd(15)}`
  if (result.outcome === 'skipped') return `${start}${result.reason}`
  const verdicts = Object.entries(result.verdicts)
    .filter(([name, [theirs, ours]]) => name !== 'answer' || theirs !== ours || theirs !== 'OK')
    .map(([name, pair]) => `${name} ${describePair(pair)}`)
  const scores = Object.entries(result.scores).map(
    ([name, [theirs, ours]]) => `${name} ${theirs.toFixed(4)} → ${ours.toFixed(4)}`,
  )
  return `${start}${[...verdicts, ...scores].join('; ')}`
}

function countOutcomes(results: readonly ReplayedCall[]): Record<ReplayedCall['outcome'], number> {
  const counts = { same: 0, scores: 0, verdicts: 0, skipped: 0 }
  for (const { outcome } of results) counts[outcome]++
  return counts
}

function readTolerance(text: string): number {
  const tolerance = Number(text)
  if (text.trim() !== '' && tolerance >= 0 && tolerance <= 1) return tolerance
  throw new UsageError('--tolerance must be a number from 0 to 1')
}

/** @throws {UsageError} if it is no address of a server */
function readServer(text: string | undefined): string {
  if (text !== undefined && URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/+$/, '')
  throw new UsageError('Name the server with --server, such as http://127.0.0.1:8000')
}

export const replayCommand: Command = {
  name: 'replay',
  summary: 'Post recorded requests of another service, and compare its answers',
  usage: `usage: vivace replay FILE|DIR --server URL [--token TOKEN] [--tolerance N] [--json]

FILE is a recording in the HTTP Archive format (HAR 1.2), as the network tools of browsers and most proxies export it; of DIR all *.har.
Sent are single requests (media and analyses in one POST): /api/folders and /api/instant/folders to Instant, which stores nothing, and
those of Lite. Nothing of the recorded headers is sent, and no webhook address.

Most recorders leave the bytes of media out. They are taken from RECORDING/N/NAME (RECORDING: the file without .har; N: the number of the
entry; NAME: the recorded name of the file, or "body"), from the recording, or from NAME beside it.

  --server URL      the server to try
  --token TOKEN     a token of it; VIVACE_TOKEN does the same, and is not shown to other users of this machine
  --tolerance N     largest difference of scores that count as the same (default: 0.1)
  --json            print the result as JSON

Printed are verdicts and scores; no media, names or identifiers.

Exit code: 0 the same verdicts and scores; 1 other verdicts, nothing was replayed, or the server cannot be used; 2 the same verdicts,
but other scores, or calls that could not be replayed; 64 wrong usage.
`,
  async run(args) {
    const { values, positionals } = readArguments(args, {
      server: { type: 'string' },
      token: { type: 'string' },
      tolerance: { type: 'string', default: '0.1' },
      json: { type: 'boolean', default: false },
    })
    const [place, ...rest] = positionals
    if (place === undefined || rest.length > 0)
      throw new UsageError('Name one recording, or a folder of them')
    const target = {
      url: readServer(values.server),
      token: values.token ?? (process.env.VIVACE_TOKEN || null),
      tolerance: readTolerance(values.tolerance),
    }
    const progress = new Progress()
    const results = await replayCalls(await readRecordings(place), target, (done, all) =>
      progress.step('calls', done, all),
    ).finally(() => progress.end())
    const counts = countOutcomes(results)
    if (values.json) say(JSON.stringify({ tolerance: target.tolerance, counts, calls: results }, null, 2))
    else {
      for (const result of results) say(describe(result))
      const texts = Object.entries(counts).map(
        ([outcome, count]) => `${count} ${words[outcome as keyof typeof counts]}`,
      )
      say(`${results.length} calls: ${texts.join(', ')}`)
    }
    if (counts.verdicts > 0 || counts.skipped === results.length) return exitCodes.failed
    return counts.scores + counts.skipped > 0 ? exitCodes.refused : exitCodes.done
  },
}
