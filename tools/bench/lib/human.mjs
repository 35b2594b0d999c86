import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tf, wasmFolder } from './tensorflow.mjs'

const require = createRequire(import.meta.url)

export async function loadHuman(maxFaces) {
  // The package does not export the wasm build, so it is imported by path, next to the exported build.
  const dist = dirname(require.resolve('@vladmandic/human'))
  const { Human } = require(join(dist, 'human.node-wasm.js'))
  serveModelsFromDisk()
  const human = new Human(config(pathToFileURL(join(dist, '../models/')).href, maxFaces))
  await human.load()
  const starts = recordFirstStarts(human.models.models, ['facemesh', 'faceres'])
  return {
    name: 'human',
    version: human.version,
    descriptorLength: 1024,
    describe: (tensor, watch) => describe(human, starts, tensor, watch),
  }
}

function config(modelBasePath, maxFaces) {
  const off = { enabled: false }
  const neverReuse = { skipFrames: 0, skipTime: 0 }
  return {
    backend: 'wasm',
    wasmPath: wasmFolder,
    modelBasePath,
    async: false,
    warmup: 'none',
    cacheSensitivity: 0,
    filter: { ...off, autoBrightness: false, return: false },
    face: {
      enabled: true,
      detector: { ...neverReuse, maxDetected: maxFaces },
      mesh: { enabled: true },
      description: { ...neverReuse, enabled: true },
      attention: off,
      iris: off,
      emotion: off,
      antispoof: off,
      liveness: off,
    },
    body: off,
    hand: off,
    object: off,
    gesture: off,
    segmentation: off,
  }
}

// Without tfjs-node, tfjs in Node has no handler for file: URLs.
function serveModelsFromDisk() {
  tf.io.registerLoadRouter((url) => (String(url).startsWith('file:') ? { load: () => readModel(url) } : null))
}

async function readModel(url) {
  const json = JSON.parse(await readFile(fileURLToPath(url), 'utf8'))
  return tf.io.getModelArtifactsForJSON(json, (manifest) => readWeights(manifest, url))
}

async function readWeights(manifest, url) {
  const paths = manifest.flatMap((group) => group.paths)
  const files = await Promise.all(paths.map((path) => readFile(fileURLToPath(new URL(path, url)))))
  const specs = manifest.flatMap((group) => group.weights)
  const bytes = Buffer.concat(files)
  return [specs, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)]
}

// human times its stages in whole milliseconds and includes the mesh in "face"; the times at which
// its models first start running give exact boundaries.
function recordFirstStarts(models, names) {
  const starts = new Map()
  for (const name of names) {
    const model = models[name]
    if (!model) throw new Error(`human did not load its ${name} model`)
    const execute = model.execute.bind(model)
    model.execute = (...args) => {
      if (!starts.has(name)) starts.set(name, performance.now())
      return execute(...args)
    }
  }
  return starts
}

async function describe(human, starts, tensor, watch) {
  starts.clear()
  const { error, face } = await human.detect(tensor)
  if (error) throw new Error(`human: ${error}`)
  const ended = performance.now()
  watch.lap('detect', starts.get('facemesh') ?? ended)
  watch.lap('landmarks', starts.get('faceres') ?? ended)
  watch.lap('descriptor', ended)
  return face.map(({ embedding }) => embedding ?? [])
}
