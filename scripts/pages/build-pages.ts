/** Builds the files for browsers from `web/`, `client/` and `docs/`. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BuildOptions } from 'esbuild'
import type { BrowserFile, BrowserFiles } from '../../src/platform/browser-files.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { buildGuide } from './build-guide.ts'
import { readFinderNetwork } from './finder-network.ts'
import { samplePictures } from './sample-pictures.ts'
import { styleText } from './style-text.ts'

type Esbuild = typeof import('esbuild')

interface ClientScript {
  name: string
  entry: string
  /** Modules, and scripts for pages that load them with a plain `<script>`. */
  format: 'esm' | 'iife'
}

/** Scripts that pages of others load too. */
const clientScripts: readonly ClientScript[] = [
  { name: 'client/vivace.js', entry: 'client/browser.ts', format: 'esm' },
  { name: 'client/vivace-web-sdk.js', entry: 'client/web-sdk/adapter.ts', format: 'iife' },
  { name: 'client/vivace-face.js', entry: 'web/face/worker.ts', format: 'iife' },
]

const mimeTypes: Partial<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.onnx': 'application/octet-stream',
}

/** Compressed copies are kept if they are at most this share of the file. */
const worthwhile = 0.9

function describeFile(name: string, contents: Uint8Array): BrowserFile {
  const body = new Uint8Array(contents)
  const mimeType = mimeTypes[path.extname(name)]
  if (mimeType === undefined) throw new TypeError(`${name}: no media type is known for this kind of file`)
  const gzip = new Uint8Array(gzipSync(body, { level: 9 }))
  return {
    mimeType,
    hash: sha256(body).slice(0, 16),
    body,
    gzip: gzip.length < worthwhile * body.length ? gzip : null,
  }
}

interface Built {
  files: Map<string, BrowserFile>
  /** Source files, from the project's folder. */
  sources: Set<string>
}

/** Runs esbuild in memory and adds its one output under a name. */
async function addBundle(
  esbuild: Esbuild,
  { files, sources }: Built,
  root: string,
  name: string,
  options: BuildOptions,
): Promise<void> {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    bundle: true,
    minify: true,
    target: 'es2022',
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
    ...options,
    write: false,
    metafile: true,
  })
  files.set(name, describeFile(name, outputFiles[0]!.contents))
  for (const source of Object.keys(metafile.inputs)) sources.add(source)
}

/** Adds the version to addresses of own files, so that browsers may keep them for ever. */
function nameVersions(html: string, files: BrowserFiles): string {
  return html.replaceAll(/"\/((?:client|pages)\/[\w./-]+)"/g, (_, name: string) => {
    const file = files.get(name)
    if (!file) throw new TypeError(`a page names /${name}, which is not built`)
    return `"/${name}?v=${file.hash}"`
  })
}

const isHtml = (name: string): boolean => name.endsWith('.html')

const listFolder = async (root: string, folder: string): Promise<string[]> =>
  (await readdir(path.join(root, folder))).sort()

/** The kernel and the network of the face finder; the network is converted as the servers' own. */
async function addFinder({ files, sources }: Built, root: string): Promise<void> {
  const [kernel, manifest] = ['wasm/inference/kernel.wasm', 'models/manifest.json']
  const add = (name: string, content: Uint8Array) => files.set(name, describeFile(name, content))
  add('client/vivace-face.wasm', await readFile(path.join(root, kernel)))
  add('client/vivace-face.onnx', await readFinderNetwork(path.join(root, manifest)))
  sources.add(kernel).add(manifest)
}

/** Builds what the pages of one folder of `web/` load. */
async function addAssets(esbuild: Esbuild, built: Built, root: string, page: string): Promise<void> {
  const folder = `web/${page}`
  for (const name of (await listFolder(root, folder)).filter((candidate) => !isHtml(candidate))) {
    const source = `${folder}/${name}`
    if (name === 'page.ts') {
      const options: BuildOptions = { entryPoints: [source], format: 'esm', plugins: [styleText] }
      await addBundle(esbuild, built, root, `pages/${page}/page.js`, options)
    } else if (name.endsWith('.css')) {
      await addBundle(esbuild, built, root, `pages/${page}/${name}`, { entryPoints: [source] })
    } else if (mimeTypes[path.extname(name)] !== undefined) {
      built.sources.add(source)
      built.files.set(`pages/${page}/${name}`, describeFile(name, await readFile(path.join(root, source))))
    }
  }
}

/** Builds the pages of one folder of `web/`, which name files of all folders. */
async function addPages(built: Built, root: string, page: string): Promise<void> {
  const folder = `web/${page}`
  for (const name of (await listFolder(root, folder)).filter(isHtml)) {
    const source = `${folder}/${name}`
    built.sources.add(source)
    const html = nameVersions(await readFile(path.join(root, source), 'utf8'), built.files)
    const served = name === 'index.html' ? `${page}.html` : `${page}/${name}`
    built.files.set(served, describeFile(served, new TextEncoder().encode(html)))
  }
}

/** Fills the template of the guide with its pages. */
async function addGuide({ files, sources }: Built, root: string): Promise<void> {
  const template = new TextDecoder().decode(files.get('guide.html')!.body)
  const guide = await buildGuide(root, template)
  const add = (name: string, text: string) =>
    files.set(name, describeFile(name, new TextEncoder().encode(text)))
  for (const [name, html] of guide.pages) add(name, html)
  add('pages/guide/search.json', guide.searchIndex)
  for (const source of guide.sources) sources.add(source)
}

/**
 * Builds all files: the scripts of `client/`, and each folder of `web/` as a page, and the guide.
 * - `web/NAME/index.html` is the page `NAME.html`; it names its files by address: `/pages/NAME/page.js`, `/client/vivace.js`.
 * - `web/NAME/page.ts` is bundled to `pages/NAME/page.js`, style sheets and pictures stay `pages/NAME/FILE`.
 * @returns the files, and the sources and folders that they depend on, from `root`
 * @throws {Error} if a source has an error
 */
export async function buildPages(root: string): Promise<{ files: BrowserFiles; sources: string[] }> {
  const esbuild: Esbuild = await import('esbuild')
  const built: Built = { files: new Map(), sources: new Set() }
  try {
    for (const { name, entry, format } of clientScripts) {
      const options = { entryPoints: [entry], format, plugins: [styleText] }
      await addBundle(esbuild, built, root, name, options)
    }
    await addFinder(built, root)
    const entries = await readdir(path.join(root, 'web'), { withFileTypes: true })
    const pages = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    for (const page of pages.sort()) await addAssets(esbuild, built, root, page)
    for (const page of pages) await addPages(built, root, page)
    await addGuide(built, root)
    for (const [name, picture] of samplePictures()) built.files.set(name, describeFile(name, picture))
    const folders = ['web', ...pages.map((page) => `web/${page}`)]
    return { files: built.files, sources: [...folders, ...[...built.sources].sort()] }
  } finally {
    await esbuild.stop()
  }
}
