import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { OnnxGraph } from '../../../src/conversion/onnx-graph.ts'
import type { ModelId } from '../../../src/inference/engine.ts'
import { goldenInput } from '../../../src/inference/golden.ts'
import type { Manifest, ModelEntry, ModelSource } from '../../../src/inference/manifest.ts'
import { type EnsureOptions, ensureModels } from '../../../src/platform/ensure-models.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { openLateNetworks } from '../../../src/platform/late-networks.ts'
import { compileInferenceKernel } from '../../../src/platform/server-wasm.ts'

/** Time that a slow machine needs to convert one file. */
let convertingMs = 0

vi.mock('../../../src/conversion/convert.ts', async (importOriginal) => {
  const { converters } = await importOriginal<typeof import('../../../src/conversion/convert.ts')>()
  const none: typeof converters.none = (files) => {
    const endMs = performance.now() + convertingMs
    while (performance.now() < endMs);
    return converters.none(files)
  }
  return { converters: { ...converters, none } }
})

const shape = [1, 1, 2, 2]

/** A network that adds a number. */
function network(addend: number): Uint8Array {
  const graph = new OnnxGraph('adder')
  const factors = [graph.input('image', shape), graph.floats([1], [1, 1, 1, 1]), graph.floats([addend])]
  graph.node('Conv', factors, { kernel_shape: [1, 1], strides: [1, 1] }, 'y')
  graph.output('y', shape)
  return graph.toBytes()
}

const golden = { shape, range: 1 }
const outside = network(1)
const own = network(2)

function entry(id: ModelId, bytes: Uint8Array, addend: number, source: ModelSource): ModelEntry {
  const values = [...goldenInput(golden)].map((value) => value + addend)
  return {
    id,
    name: id,
    version: '1',
    task: 'test',
    file: `${id}.onnx`,
    licence: 'Apache-2.0',
    attribution: 'test',
    origin: 'documented',
    card: 'none',
    sources: [source],
    built: [sha256(bytes)],
    input: '',
    outputs: '',
    golden: { ...golden, output: 'y', values, tolerance: 1e-6 },
  }
}

let folder: string
let server: Server
let served: Map<string, Uint8Array>
let address: string
let pulls: string[]
/** Time that the host needs to answer. */
let answeringMs: number

beforeAll(async () => {
  server = createServer((req, res) => {
    pulls.push(req.url ?? '')
    const bytes = served.get(req.url ?? '')
    setTimeout(() => res.writeHead(bytes ? 200 : 404).end(bytes), answeringMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'models-'))
  await writeFile(path.join(folder, 'own.onnx'), own)
  await writeFile(path.join(folder, 'cohort'), 'members')
  served = new Map()
  pulls = []
  answeringMs = 0
  convertingMs = 0
  return () => rm(folder, { recursive: true })
})

function options(change: Partial<EnsureOptions> = {}): EnsureOptions {
  const download: ModelSource = {
    kind: 'download',
    file: { path: 'outside.onnx', sha256: sha256(outside) },
    url: `${address}/upstream/outside.onnx`,
    convert: 'none',
  }
  const committed: ModelSource = {
    kind: 'repository',
    file: { path: 'own.onnx', sha256: sha256(own) },
    convert: 'none',
  }
  const profile = (id: ModelId) => ({
    detector: id,
    landmarks: id,
    template: [id],
    pad: [id],
    assurance: 'low' as const,
  })
  const manifest: Manifest = {
    version: 1,
    profiles: { standard: profile('yunet-2023mar'), embedded: profile('blazeface-back') },
    models: [entry('yunet-2023mar', outside, 1, download), entry('blazeface-back', own, 2, committed)],
    documents: {},
    cohorts: ['yunet-2023mar', 'blazeface-back'].map((template) => ({
      id: 'c',
      template: template as ModelId,
      templateModelId: 't',
      file: 'cohort',
      sha256: sha256(new TextEncoder().encode('members')),
      card: 'none',
      threshold: -2,
      slope: 1,
    })),
  }
  return {
    manifest,
    repository: folder,
    modelsDir: path.join(folder, 'built'),
    profile: 'auto',
    origin: 'any',
    mirror: '',
    redecide: false,
    pullTimeoutMs: 2000,
    onProgress: () => {},
    ...change,
  }
}

describe('the automatic profile', () => {
  it('profile auto is standard if its networks are available, and downloads them once', async () => {
    served.set('/upstream/outside.onnx', outside)
    expect((await ensureModels(options())).chosen.name).toBe('standard')
    expect((await ensureModels(options())).chosen.name).toBe('standard')
    expect(pulls).toEqual(['/upstream/outside.onnx'])
  })

  it('profile auto is embedded if they are not, and downloads nothing again until told to', async () => {
    expect((await ensureModels(options())).chosen.name).toBe('embedded')
    served.set('/upstream/outside.onnx', outside)
    const asked = pulls.length
    expect((await ensureModels(options())).chosen.name).toBe('embedded')
    expect(pulls).toHaveLength(asked)
    expect((await ensureModels(options({ redecide: true }))).chosen.name).toBe('standard')
  })

  it('profile auto becomes standard at the next start once its files are on this machine', async () => {
    expect((await ensureModels(options())).chosen.name).toBe('embedded')
    const mirror = path.join(folder, 'mirror')
    await mkdir(mirror)
    await writeFile(path.join(mirror, 'outside.onnx'), outside)
    expect((await ensureModels(options({ mirror }))).chosen.name).toBe('standard')
    expect((await ensureModels(options())).chosen.name).toBe('standard')
  })

  it('each start logs in one line which profile it uses, why, and how to get the better one', async () => {
    const lines: string[] = []
    const onProgress = (line: string) => void (line.startsWith('profile') && lines.push(line))
    for (let start = 0; start < 2; start++) await ensureModels(options({ onProgress }))
    served.set('/upstream/outside.onnx', outside)
    await ensureModels(options({ onProgress, redecide: true }))
    await ensureModels(options({ onProgress }))
    const weaker = /^profile embedded: .*yunet-2023mar.*npm run models/
    const better = /^profile standard: /
    expect(lines).toEqual([weaker, weaker, better, better].map((line) => expect.stringMatching(line)))
  })

  it('a silent host is not awaited beyond the time limit', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const mirror = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const ready = await ensureModels(options({ mirror, pullTimeoutMs: 200 }))
    expect(ready.chosen.name).toBe('embedded')
    silent.closeAllConnections()
    silent.close()
  })
})

/** The standard profile with two downloaded networks, and other sources for the second. */
function twoFromOutside(change: Partial<EnsureOptions>, sources?: (first: ModelSource) => ModelSource[]) {
  const all = options(change)
  const [first, own] = all.manifest.models as [ModelEntry, ModelEntry]
  const [source] = first.sources as [ModelSource]
  const second: ModelEntry = { ...first, id: 'minifasnet-v2', file: 'second.onnx' }
  if (sources) second.sources = sources(source)
  const profiles = structuredClone(all.manifest.profiles)
  profiles.standard.pad = ['minifasnet-v2']
  return { ...all, manifest: { ...all.manifest, profiles, models: [first, second, own] } }
}

describe('the time limit for downloads', () => {
  beforeEach(() => {
    served.set('/upstream/outside.onnx', outside)
  })

  it('slow conversion does not count towards the download limit', async () => {
    convertingMs = 400
    expect((await ensureModels(twoFromOutside({ pullTimeoutMs: 300 }))).chosen.name).toBe('standard')
  })

  it('conversion of a useless file does not count towards the download limit', async () => {
    convertingMs = 400
    served.set('/upstream/wrong.onnx', network(7))
    const wrong = { path: 'wrong.onnx', sha256: sha256(network(7)) }
    const slow = twoFromOutside({ pullTimeoutMs: 300 }, (source) => [
      { ...source, kind: 'download', file: wrong, url: `${address}/upstream/wrong.onnx` },
      source,
    ])
    expect((await ensureModels(slow)).chosen.name).toBe('standard')
    expect(pulls.slice(1)).toEqual(['/upstream/wrong.onnx', '/upstream/outside.onnx'])
  })

  it('the download limit applies to all files together', async () => {
    answeringMs = 200
    expect((await ensureModels(twoFromOutside({ pullTimeoutMs: 300 }))).chosen.name).toBe('embedded')
    expect((await ensureModels(twoFromOutside({ pullTimeoutMs: 900 }))).chosen.name).toBe('embedded')
    const anew = twoFromOutside({ pullTimeoutMs: 900, redecide: true })
    expect((await ensureModels(anew)).chosen.name).toBe('standard')
  })

  it('the download limit ends before anything is converted', async () => {
    const lines: string[] = []
    const nowhere = { path: 'nowhere.onnx', sha256: sha256(outside) }
    const lacking = twoFromOutside({ onProgress: (line) => lines.push(line) }, (source) => [
      { ...source, kind: 'download', file: nowhere, url: `${address}/upstream/nowhere.onnx` },
    ])
    expect((await ensureModels(lacking)).chosen.name).toBe('embedded')
    expect(lines.filter((line) => line.startsWith('yunet-2023mar: built'))).toEqual([])
  })
})

/** A folder that is unwritable even for root: a file in its place. */
async function blocked(): Promise<string> {
  const file = path.join(folder, 'file')
  await writeFile(file, '')
  return path.join(file, 'built')
}

describe('a folder that cannot be written', () => {
  const hasRights = process.getuid?.() === 0

  it('an unwritable models folder is named by its variable, in one line', async () => {
    served.set('/upstream/outside.onnx', outside)
    const modelsDir = await blocked()
    for (const profile of ['auto', 'standard', 'embedded'] as const) {
      const failure = await ensureModels(options({ modelsDir, profile })).catch(
        (error: Error) => error.message,
      )
      expect(failure).toMatch(
        /^MODELS_DIR .* cannot be written \(ENOTDIR\), and .*\.onnx is missing there; make the folder/,
      )
    }
  })

  it('an unwritable models folder does not prevent a start if it has all networks', async () => {
    served.set('/upstream/outside.onnx', outside)
    await ensureModels(options({ profile: 'standard' }))
    const built = path.join(folder, 'built')
    if (hasRights) await mkdir(path.join(built, 'profile.json'))
    else await chmod(built, 0o555)
    const lines: string[] = []
    const ready = await ensureModels(options({ onProgress: (line) => lines.push(line) }))
    expect(ready.chosen.name).toBe('standard')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/^warning: MODELS_DIR .* cannot be written .*profile\.json/)
    await expect(ensureModels(options({ redecide: true }))).rejects.toThrow(/^MODELS_DIR/)
    await chmod(built, 0o755)
  })
})

it('a choice that is stored already is not written again: the folder may be read-only', async () => {
  served.set('/upstream/outside.onnx', outside)
  const number = async () => (await stat(path.join(folder, 'built', 'profile.json'))).ino
  await ensureModels(options({}))
  const first = await number()
  await ensureModels(options({ redecide: true }))
  expect(await number()).toBe(first)
})

describe('a profile asked for by name', () => {
  it('a named profile fails if a file is missing, naming the model', async () => {
    await expect(ensureModels(options({ profile: 'standard' }))).rejects.toThrow(
      /yunet-2023mar is unavailable/,
    )
  })

  it('a named profile fails if a file has a wrong hash', async () => {
    served.set('/upstream/outside.onnx', network(7))
    await expect(ensureModels(options({ profile: 'standard' }))).rejects.toThrow(/sha256/)
    expect(await readdir(path.join(folder, 'built')).catch(() => [])).toEqual([])
  })

  it('a mirror is tried first, whether a folder or an address', async () => {
    await mkdir(path.join(folder, 'mirror'))
    await writeFile(path.join(folder, 'mirror', 'outside.onnx'), outside)
    await ensureModels(options({ profile: 'standard', mirror: path.join(folder, 'mirror') }))
    await rm(path.join(folder, 'built'), { recursive: true })
    served.set('/mirror/outside.onnx', outside)
    await ensureModels(options({ profile: 'standard', mirror: `${address}/mirror/` }))
    expect(pulls).toEqual(['/mirror/outside.onnx'])
  })

  it('installed networks need no download', async () => {
    expect([...(await ensureModels(options({ profile: 'embedded' }))).files.keys()]).toEqual([
      'blazeface-back',
    ])
    expect(pulls).toEqual([])
  })
})

describe('networks that read documents', () => {
  const withDocuments = () => {
    const wanted = options({ profile: 'standard' })
    return { ...wanted, manifest: { ...wanted.manifest, documents: { mrz: 'blazeface-back' } } }
  }

  it('are built with every profile, and opened when they are first run', async () => {
    served.set('/upstream/outside.onnx', outside)
    const { chosen, files } = await ensureModels(withDocuments())
    expect([...files.keys()]).toEqual(['yunet-2023mar'])
    const [document] = chosen.documents
    const late = { folder: path.join(folder, 'built'), engine: 'auto' as const, entries: chosen.documents }
    const engine = openLateNetworks(late, await compileInferenceKernel())
    const { golden } = document!
    const outputs = await engine.run(document!.id, { data: goldenInput(golden), shape: golden.shape })
    expect(outputs[golden.output]!.data[0]).toBeCloseTo(golden.values[0]!, 3)
  })

  it.each(['tampered', ''])('are built again if their file was changed to "%s"', async (text) => {
    served.set('/upstream/outside.onnx', outside)
    const wanted = withDocuments()
    const { chosen } = await ensureModels(wanted)
    const file = path.join(folder, 'built', chosen.documents[0]!.file)
    await writeFile(file, text)
    await ensureModels(wanted)
    expect(chosen.documents[0]!.built).toContain(sha256(await readFile(file)))
  })

  it('are refused if they were changed after the start', async () => {
    served.set('/upstream/outside.onnx', outside)
    const { chosen } = await ensureModels(withDocuments())
    await writeFile(path.join(folder, 'built', chosen.documents[0]!.file), 'tampered')
    const late = { folder: path.join(folder, 'built'), engine: 'auto' as const, entries: chosen.documents }
    const engine = openLateNetworks(late, await compileInferenceKernel())
    await expect(
      engine.run('blazeface-back', { data: new Float32Array(1), shape: [1, 1, 1, 1] }),
    ).rejects.toMatchObject({
      code: 'internal',
      cause: {
        message: expect.stringMatching(/of another release \(sha256 \w{64}\): run "npm run models"$/),
      },
    })
  })
})

describe('built networks', () => {
  it('built networks that were changed on disk are built again', async () => {
    await ensureModels(options({ profile: 'embedded' }))
    const file = path.join(folder, 'built', 'blazeface-back.onnx')
    await writeFile(file, 'tampered')
    const { files } = await ensureModels(options({ profile: 'embedded' }))
    expect(sha256(files.get('blazeface-back')!)).toBe(sha256(own))
    expect(sha256(await readFile(file))).toBe(sha256(own))
  })

  it('built networks with wrong golden values are refused', async () => {
    const wrong = options({ profile: 'embedded' })
    const [first, second] = wrong.manifest.models as [ModelEntry, ModelEntry]
    const models = [first, { ...second, golden: { ...second.golden, values: [99] } }]
    await expect(ensureModels({ ...wrong, manifest: { ...wrong.manifest, models } })).rejects.toThrow(
      /golden/,
    )
  })

  it('networks may be built by several processes at once', async () => {
    const runs = Array.from({ length: 4 }, () => ensureModels(options({ profile: 'embedded' })))
    for (const { files } of await Promise.all(runs)) expect(files.size).toBe(1)
    expect(await readdir(path.join(folder, 'built'))).toEqual(['blazeface-back.onnx'])
  })
})
