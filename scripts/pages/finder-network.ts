/** The network of the face finder in pages: BlazeFace, from the installed package that servers build it from too. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { converters } from '../../src/conversion/convert.ts'
import type { Manifest } from '../../src/inference/manifest.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { readSource } from '../../src/platform/model-sources.ts'

const network = 'blazeface-back'

/**
 * @param manifest the path of `models/manifest.json`
 * @returns an ONNX file
 * @throws {Error} if the package is not installed, or has other weights
 */
export async function readFinderNetwork(manifest: string): Promise<Uint8Array> {
  const { models } = JSON.parse(await readFile(manifest, 'utf8')) as Manifest
  const entry = models.find(({ id }) => id === network)
  const [source] = entry?.sources ?? []
  if (!entry || !source) throw new Error(`the manifest has no ${network}`)
  const repository = path.dirname(manifest)
  const { signal } = new AbortController()
  const { files } = await readSource(source, { repository, mirror: '', reach: 'here', signal })
  const bytes = converters[source.convert](files)
  if (!entry.built.includes(sha256(bytes))) throw new Error(`${network} has unexpected weights`)
  return bytes
}
