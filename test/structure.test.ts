/** Enforces the imports between rooms, and the use of runtimes and libraries. See docs/architecture.md. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..', 'src')

/** The rooms that each room may import; its own is always allowed. */
const mayImport: Record<string, readonly string[]> = {
  'errors.ts': [],
  'version.ts': [],
  'uuid.ts': [],
  'base64.ts': [],
  'join-bytes.ts': [],
  'email-address.ts': [],
  'exact-json.ts': [],
  'network-address.ts': [],
  'setting-kinds.ts': ['network-address.ts', 'identity'],
  'setting-variables.ts': ['setting-kinds.ts'],
  'settings.ts': ['setting-variables.ts', 'setting-kinds.ts', 'email-address.ts', 'errors.ts'],
  queue: ['errors.ts'],
  background: [],
  metrics: [],
  tracing: ['errors.ts', 'version.ts'],
  inference: ['errors.ts', 'join-bytes.ts'],
  documents: [],
  conversion: ['inference', 'join-bytes.ts'],
  media: ['errors.ts', 'join-bytes.ts'],
  vision: ['documents', 'media', 'inference', 'errors.ts'],
  assess: ['documents', 'vision', 'media', 'inference', 'queue', 'errors.ts', 'join-bytes.ts'],
  decide: ['assess', 'vision', 'errors.ts'],
  gallery: ['decide', 'vision', 'queue', 'errors.ts'],
  analyses: ['documents', 'gallery', 'decide', 'assess', 'inference', 'queue', 'errors.ts'],
  records: [
    'analyses',
    'documents',
    'identity',
    'assess',
    'decide',
    'vision',
    'media',
    'inference',
    'errors.ts',
  ],
  contract: [
    'settings.ts',
    'email-address.ts',
    'exact-json.ts',
    'analyses',
    'documents',
    'records',
    'identity',
    'assess',
    'decide',
    'vision',
    'inference',
    'errors.ts',
    'uuid.ts',
    'base64.ts',
  ],
  identity: ['queue', 'errors.ts', 'settings.ts', 'base64.ts'],
  container: ['contract', 'identity', 'decide', 'vision', 'queue', 'errors.ts'],
  events: ['background', 'queue', 'errors.ts', 'version.ts', 'base64.ts'],
  storage: [
    'email-address.ts',
    'exact-json.ts',
    'analyses',
    'documents',
    'queue',
    'records',
    'identity',
    'events',
    'assess',
    'decide',
    'vision',
    'errors.ts',
    'uuid.ts',
    'base64.ts',
  ],
  folders: [
    'background',
    'analyses',
    'identity',
    'gallery',
    'storage',
    'contract',
    'records',
    'assess',
    'decide',
    'media',
    'inference',
    'queue',
    'errors.ts',
  ],
  enrolment: [
    'background',
    'folders',
    'identity',
    'gallery',
    'storage',
    'records',
    'assess',
    'decide',
    'media',
    'queue',
    'errors.ts',
  ],
  lite: ['folders', 'records', 'assess', 'decide', 'vision', 'media', 'queue', 'errors.ts'],
  reports: [
    'folders',
    'storage',
    'contract',
    'records',
    'decide',
    'identity',
    'queue',
    'errors.ts',
    'base64.ts',
    'exact-json.ts',
  ],
  accounts: ['storage', 'records', 'identity', 'queue', 'errors.ts', 'email-address.ts'],
  telemetry: ['queue', 'storage', 'records', 'identity', 'errors.ts'],
  statistics: ['background', 'storage', 'records', 'identity', 'analyses'],
  webhooks: ['storage', 'contract', 'records', 'identity', 'events', 'queue', 'errors.ts'],
  compose: [
    'lite',
    'container',
    'accounts',
    'telemetry',
    'statistics',
    'reports',
    'webhooks',
    'enrolment',
    'folders',
    'analyses',
    'gallery',
    'storage',
    'contract',
    'records',
    'identity',
    'events',
    'decide',
    'queue',
    'platform',
    'errors.ts',
    'settings.ts',
    'version.ts',
    'metrics',
    'tracing',
    'assess',
  ],
  platform: [
    'metrics',
    'tracing',
    'reports',
    'container',
    'base64.ts',
    'storage',
    'identity',
    'events',
    'gallery',
    'assess',
    'decide',
    'media',
    'conversion',
    'inference',
    'queue',
    'errors.ts',
    'settings.ts',
    'network-address.ts',
  ],
  http: [
    'container',
    'analyses',
    'contract',
    'records',
    'folders',
    'enrolment',
    'identity',
    'events',
    'accounts',
    'compose',
    'lite',
    'media',
    'platform',
    'metrics',
    'tracing',
    'queue',
    'errors.ts',
    'settings.ts',
    'network-address.ts',
    'version.ts',
    'uuid.ts',
    'base64.ts',
    'exact-json.ts',
  ],
  'app.ts': ['http', 'compose', 'contract', 'platform', 'errors.ts', 'settings.ts'],
  entry: ['app.ts', 'compose', 'contract', 'platform', 'errors.ts', 'settings.ts'],
}

/** Rooms that may import only interfaces from `platform`. */
const interfacesOnly = new Set(['http', 'app.ts', 'compose'])

/** Libraries and the rooms that may import them. */
const libraryRooms: [library: RegExp, rooms: readonly string[]][] = [
  [/^@jsquash\//, ['media', 'platform']],
  [/^hono(\/|$)/, ['http', 'app.ts']],
  [/^@hono\/node-server$/, ['entry']],
  [/^@opentelemetry\//, ['tracing']],
  [/^valibot$/, ['contract', 'http', 'container', 'storage']],
  [/^@valibot\//, ['contract']],
  [/^@noble\/hashes/, ['contract', 'identity', 'events', 'storage', 'platform']],
  [/^@libsql\/client/, ['storage', 'platform']],
  [/^drizzle-orm/, ['storage', 'platform']],
  [/^aws4fetch$/, ['storage']],
  [/^client-zip$/, ['folders']],
  [/^@libpdf\/core$/, ['reports', 'platform']],
  [/^fflate$/, ['media']],
  [/^jose$/, ['identity', 'container']],
  [/^oauth4webapi$/, ['identity']],
  [/^otpauth$/, ['identity']],
  [/^uqr$/, ['contract']],
  [/^ipaddr.js$/, ['events', 'network-address.ts']],
  [/^leven$/, ['contract']],
  [/^#video-module$/, ['platform']],
  [/^node:/, ['platform', 'entry']],
]

/** Globals that exist only on some runtimes. */
const runtimeGlobals = /(?<![.\w'"])(process|Buffer|Bun|Deno|require|__dirname)(?=[.(])/

/** Examples import what shows their export best. */
const docComments = /^\s*\/\*\*[\s\S]*?\*\//gm

interface Source {
  /** Path below `src`, with slashes. */
  file: string
  room: string
  text: string
  imports: { from: string; isType: boolean }[]
}

async function sources(): Promise<Source[]> {
  const names = (await readdir(root, { recursive: true })).map((name) => name.split(path.sep).join('/'))
  return Promise.all(
    names
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map(async (file) => {
        const text = await readFile(path.join(root, file), 'utf8')
        const statements = text
          .replace(docComments, '')
          .matchAll(/(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\('([^']+)'\)/g)
        const imports = [...statements].map(([, type, from, dynamic]) => ({
          from: from ?? dynamic ?? '',
          isType: Boolean(type),
        }))
        return { file, room: file.split('/')[0]!, text, imports }
      }),
  )
}

const all = await sources()

/** The room of an imported file; `null` for packages. */
function targetRoom(source: Source, from: string): string | null {
  if (!from.startsWith('.')) return null
  const target = path.posix.join(path.posix.dirname(source.file), from)
  return target.startsWith('..') ? 'outside' : target.split('/')[0]!
}

describe('the architecture', () => {
  it('the source files are found', () => {
    expect(all.length).toBeGreaterThan(50)
    expect(all.flatMap(({ imports }) => imports).length).toBeGreaterThan(150)
  })

  it('every room is in the plan', () => {
    expect([...new Set(all.map(({ room }) => room))].filter((room) => !(room in mayImport))).toEqual([])
  })

  it('imports between rooms follow the plan', () => {
    const wrong = all.flatMap((source) =>
      source.imports
        // Workers import the manifest and the search kernel, which are data.
        .filter(({ from }) => source.room !== 'platform' || !/\.(json|wasm)$/.test(from))
        .map(({ from }) => targetRoom(source, from))
        .filter(
          (target) => target !== null && target !== source.room && !mayImport[source.room]?.includes(target),
        )
        .map((target) => `${source.file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('no two rooms import each other', () => {
    const leaning = Object.entries(mayImport).flatMap(([room, others]) =>
      others.filter((other) => mayImport[other]?.includes(room)).map((other) => `${room} ~ ${other}`),
    )
    expect(leaning).toEqual([])
  })

  it('http imports services and compose only as types', () => {
    const wrong = all
      .filter(({ room }) => room === 'http' || room === 'app.ts')
      .flatMap((source) =>
        source.imports
          .filter(({ from, isType }) => targetRoom(source, from) === 'compose' && !isType)
          .map(({ from }) => `${source.file} imports ${from}`),
      )
    expect(wrong).toEqual([])
  })

  it('the doors of the full and of the Lite service import nothing from each other', () => {
    const doors = ['http/full/', 'http/lite/']
    const wrong = all
      .filter(({ room }) => room === 'http')
      .flatMap((source) =>
        source.imports
          .filter(({ from }) => from.startsWith('.'))
          .map(({ from }) => path.posix.join(path.posix.dirname(source.file), from))
          .filter((target) => doors.some((door) => target.startsWith(door) && !source.file.startsWith(door)))
          .map((target) => `${source.file} imports ${target}`),
      )
    expect(wrong).toEqual([])
  })

  it('handlers leave the check of the tenant to Authority', () => {
    // Names the company in whose share of the work a call counts; refuses nobody.
    const shares = 'http/client-address.ts'
    const reads = /principal\??\.companyId|\bcompanyId\b[^={}]*\}\s*=\s*[\w.]*principal\b/
    const wrong = all.filter(({ file, room, text }) => room === 'http' && file !== shares && reads.test(text))
    expect(wrong.map(({ file }) => file)).toEqual([])
  })

  it('the database knows types of vision only by their codec', () => {
    const wrong = all
      .filter(({ file, room }) => room === 'storage' && !file.startsWith('storage/codec/'))
      .flatMap((source) =>
        source.imports
          .filter(({ from }) => targetRoom(source, from) === 'vision')
          .map(({ from }) => `${source.file} imports ${from}`),
      )
    expect(wrong).toEqual([])
  })

  it('files of compose are short', () => {
    const long = all.filter(({ room, text }) => room === 'compose' && text.split('\n').length > 150)
    expect(long.map(({ file }) => file)).toEqual([])
  })

  it('rooms import only interfaces from platform', () => {
    const wrong = all
      .filter(({ room }) => interfacesOnly.has(room))
      .flatMap((source) =>
        source.imports
          .filter(({ from, isType }) => targetRoom(source, from) === 'platform' && !isType)
          .map(({ from }) => `${source.file} imports ${from}`),
      )
    expect(wrong).toEqual([])
  })

  it.each(libraryRooms)('keeps %s in its rooms', (library, rooms) => {
    const wrong = all
      .filter(({ room, imports }) => !rooms.includes(room) && imports.some(({ from }) => library.test(from)))
      .map(({ file }) => file)
    expect(wrong).toEqual([])
  })

  it('every library is declared for its rooms', () => {
    const unknown = all.flatMap(({ file, imports }) =>
      imports
        .filter(({ from }) => !from.startsWith('.') && !libraryRooms.some(([library]) => library.test(from)))
        .map(({ from }) => `${file} uses ${from}`),
    )
    expect(unknown).toEqual([])
  })

  it('only platform and entry use runtime APIs', () => {
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*/g, '')
    const wrong = all
      .filter(({ room, text }) => room !== 'platform' && room !== 'entry' && runtimeGlobals.test(code(text)))
      .map(({ file }) => file)
    expect(wrong).toEqual([])
  })

  it('formats of media are known in media alone', () => {
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*/g, '')
    const types = /['"`](image|video)\/[a-z]|['"`]application\/zip/
    const names = /['"](jpe?g|png|webp|heic|avif|mp4|mov|webm|mkv|matroska|avi|ogg|mpegts|asf|zip)['"]/i
    const firstBytes =
      /0xff, 0xd8|0x89, 0x50|0x1a, 0x45|0x1a45dfa3|0x50, 0x4b|0x04034b50|['"](RIFF|ftyp|moov|IHDR|WEBP|OggS|PK\\|GIF8|%PDF)/i
    // Its list of reasons has one of HEIC, which pages explain.
    const others = all.filter(({ room }) => room !== 'media' && room !== 'errors.ts')
    const wrong = others.filter(({ text }) =>
      [types, names, firstBytes].some((known) => known.test(code(text))),
    )
    expect(wrong.map(({ file }) => file)).toEqual([])
  })

  it('wire names of analyses occur only in contract', () => {
    const words = /'(QUALITY|BIOMETRY|COLLECTION|DOCUMENTS)'/
    // Usage has been stored under these words since the first release.
    const stored = 'storage/accounts/usage-store.ts'
    expect(
      all
        .filter(({ file, room, text }) => room !== 'contract' && file !== stored && words.test(text))
        .map(({ file }) => file),
    ).toEqual([])
  })

  it('networks are named only in their own files', async () => {
    const manifest = JSON.parse(await readFile(path.resolve(root, '..', 'models', 'manifest.json'), 'utf8'))
    const ids: string[] = manifest.models.map(({ id }: { id: string }) => id)
    expect(ids.length).toBeGreaterThan(5)
    const own = /^(conversion|vision\/(detectors|templates|pad|facemesh|landmarks|document\/line-reader))/
    const wrong = all.filter(
      ({ file, text }) =>
        !own.test(file) && file !== 'inference/manifest.ts' && ids.some((id) => text.includes(`'${id}'`)),
    )
    expect(wrong.map(({ file }) => file)).toEqual([])
  })

  it('tests that replace modules or register an SDK are alone in their process, since the others share theirs', async () => {
    const names = (await readdir(import.meta.dirname, { recursive: true })).filter((name) =>
      name.endsWith('.test.ts'),
    )
    const replacing = await Promise.all(
      names.map(async (name) =>
        /^\s*vi\.(do)?mock\(|\)\.register\(\)/im.test(
          await readFile(path.join(import.meta.dirname, name), 'utf8'),
        )
          ? [name]
          : [],
      ),
    )
    expect(names.filter((name) => name.endsWith('.alone.test.ts'))).toEqual(replacing.flat())
  })

  it('files are of readable size, and named by what they do', () => {
    expect(all.filter(({ text }) => text.split('\n').length > 500).map(({ file }) => file)).toEqual([])
    expect(
      all
        .filter(({ file }) => !/^[a-z0-9-]+(\/[a-z0-9.-]+)*\.ts$/.test(file) || /util|helper|misc/.test(file))
        .map(({ file }) => file),
    ).toEqual([])
  })
})
