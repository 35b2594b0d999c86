import { Console } from 'node:console'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { loadFaceApi } from './lib/face-api.mjs'
import { loadHuman } from './lib/human.mjs'
import { decodeJpeg, startJpegDecoder } from './lib/jpeg.mjs'
import { startStopwatch } from './lib/stopwatch.mjs'
import { assertSingleThreadSimd, inspectBackend, startWasmBackend, toRgbTensor } from './lib/tensorflow.mjs'

const USAGE = 'usage: node peers.mjs [--runs 20] [--warmup 5] [--max-faces 1] IMAGE.jpg [IMAGE.jpg ...]'

// stdout carries the JSON document and nothing else, and the peers log with console.log.
globalThis.console = new Console(process.stderr)
const log = (line) => process.stderr.write(`${line}\n`)

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '20' },
      warmup: { type: 'string', default: '5' },
      'max-faces': { type: 'string', default: '1' },
    },
  })
  if (positionals.length === 0) throw new Error(USAGE)
  return {
    files: positionals,
    runs: wholeNumber('--runs', values.runs, 1),
    warmup: wholeNumber('--warmup', values.warmup, 0),
    maxFaces: wholeNumber('--max-faces', values['max-faces'], 1),
  }
}

function wholeNumber(option, text, least) {
  const number = Number(text)
  if (Number.isInteger(number) && number >= least) return number
  throw new Error(`${option} takes a whole number of at least ${least}, got "${text}"`)
}

async function runOnce(peer, bytes) {
  const watch = startStopwatch()
  const image = await decodeJpeg(bytes)
  watch.lap('decode')
  const tensor = toRgbTensor(image)
  watch.lap('tensor')
  const descriptors = await peer.describe(tensor, watch)
  tensor.dispose()
  checkDescriptors(peer, descriptors)
  return {
    width: image.width,
    height: image.height,
    faces: descriptors.length,
    ms: watch.total(),
    stages: watch.stages,
  }
}

function checkDescriptors({ name, descriptorLength }, descriptors) {
  if (descriptors.length === 0) throw new Error(`${name} found no face`)
  for (const { length } of descriptors) {
    if (length !== descriptorLength)
      throw new Error(`${name} gave ${length} values per face, expected ${descriptorLength}`)
  }
}

async function measureImage(peer, file, { runs, warmup }) {
  const bytes = await readFile(file)
  for (let i = 0; i < warmup; i++) await runOnce(peer, bytes)
  const results = []
  for (let i = 0; i < runs; i++) results.push(await runOnce(peer, bytes))
  return summarize(file, results)
}

function summarize(file, results) {
  const [{ width, height, faces, stages }] = results
  return {
    file: basename(file),
    width,
    height,
    faces,
    ms: results.map((result) => roundMs(result.ms)),
    stages: Object.fromEntries(
      Object.keys(stages).map((stage) => [stage, results.map((result) => roundMs(result.stages[stage]))]),
    ),
  }
}

const roundMs = (ms) => Math.round(ms * 1000) / 1000

async function measurePeer(load, options) {
  const { describe, ...peer } = await load(options.maxFaces)
  const backend = await inspectBackend()
  assertSingleThreadSimd(backend)
  const images = []
  for (const file of options.files) {
    const image = await measureImage({ ...peer, describe }, file, options)
    logMedians(peer.name, image)
    images.push(image)
  }
  return { ...peer, ...backend, images }
}

function logMedians(name, { file, width, height, faces, ms, stages }) {
  const parts = Object.entries(stages).map(([stage, values]) => `${stage} ${median(values).toFixed(1)}`)
  const picture = `${file} ${width}x${height} faces ${faces}`
  log(`${name} ${picture}: median ${median(ms).toFixed(1)} ms (${parts.join(', ')})`)
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

async function main() {
  const options = readOptions()
  await startJpegDecoder()
  await startWasmBackend()
  const peers = []
  for (const load of [loadFaceApi, loadHuman]) peers.push(await measurePeer(load, options))
  process.stdout.write(`${JSON.stringify({ peers })}\n`)
}

main().catch((error) => {
  log(error.message)
  process.exitCode = 1
})
