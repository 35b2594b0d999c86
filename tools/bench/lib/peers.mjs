import { Console } from 'node:console'
import { loadFaceApi } from './face-api.mjs'
import { loadHuman } from './human.mjs'
import { decodeJpeg, startJpegDecoder } from './jpeg.mjs'
import { startStopwatch } from './stopwatch.mjs'
import { assertSingleThreadSimd, inspectBackend, startWasmBackend, toRgbTensor } from './tensorflow.mjs'

function checkDescriptors({ name, descriptorLength }, descriptors) {
  if (descriptors.length === 0) throw new Error(`${name} found no face`)
  for (const { length } of descriptors) {
    if (length !== descriptorLength)
      throw new Error(`${name} gave ${length} values per face, not ${descriptorLength}`)
  }
}

/** Runs from JPEG bytes to descriptors; returns the milliseconds of all stages, which add up to the total. */
async function describePhoto(peer, bytes) {
  const watch = startStopwatch()
  const image = await decodeJpeg(bytes)
  watch.lap('decode')
  const tensor = toRgbTensor(image)
  watch.lap('tensor')
  const descriptors = await peer.describe(tensor, watch)
  tensor.dispose()
  checkDescriptors(peer, descriptors)
  return { ms: watch.total(), stages: watch.stages }
}

const loaders = { 'face-api': loadFaceApi, human: loadHuman }

/**
 * face-api and human on the tfjs wasm backend, one thread, SIMD: detector, landmarks and descriptor on, the rest off, one face
 * per photo, like ours.
 */
export async function openPeers(names = Object.keys(loaders)) {
  // The peers log with console.log, and standard output is for results.
  globalThis.console = new Console(process.stderr)
  await startJpegDecoder()
  await startWasmBackend()
  const peers = []
  for (const name of names) {
    const peer = await loaders[name](1)
    assertSingleThreadSimd(await inspectBackend())
    peers.push({
      name: `${peer.name} ${peer.version}`,
      run: (bytes) => describePhoto(peer, bytes),
    })
  }
  return peers
}
