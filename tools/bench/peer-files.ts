/** The packages of `tools/bench/package.json`. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { modelsFolder } from '../../src/platform/server-models.ts'
import type { Contender } from './contender.ts'

export const benchFolder = path.join(modelsFolder, '..', 'test', 'bench')

/** Installs them if the newest is missing. */
export async function installPeers(): Promise<void> {
  if (existsSync(path.join(benchFolder, 'node_modules', 'sharp'))) return
  process.stderr.write('installing the peers into tools/bench …\n')
  await promisify(execFile)('npm', ['ci', '--prefix', benchFolder])
}

/** @param names `face-api`, `human`; all by default */
export async function openPeers(names?: readonly string[]): Promise<Contender[]> {
  const file = path.join(benchFolder, 'lib', 'peers.mjs')
  const peers = (await import(pathToFileURL(file).href)) as {
    openPeers(names?: readonly string[]): Promise<Contender[]>
  }
  return peers.openPeers(names)
}
