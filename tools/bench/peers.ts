/** Each contender in a process of its own: start, memory, first and later answers. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { modelsFolder } from '../../src/platform/server-models.ts'
import { residentMegabytes } from '../soak/resources.ts'
import { benchPhotos } from './photos.ts'

interface MeasuredPeer {
  name: string
  photo: string
  /** From the start of the process until the first photo can be given. */
  startMs: number
  coldMs: number
  /** Medians of the second half of the rounds. */
  warmMs: number
  warmProcessorMs: number
  /** After all rounds. */
  megabytes: number
}

const root = path.join(modelsFolder, '..')

function startPeer(...options: string[]): ChildProcess {
  return spawn(process.execPath, ['scripts/run.mjs', 'tools/bench/peer-run.ts', ...options], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.once('exit', () => resolve()))

async function measurePeer(peer: string, photo: string, file: string, rounds: number): Promise<MeasuredPeer> {
  const start = performance.now()
  const child = startPeer(peer, file, String(rounds))
  const over = ended(child)
  try {
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
    await lines.next()
    const startMs = performance.now() - start
    const { value } = await lines.next()
    if (!value) throw new Error(`${peer} ended early`)
    const times = JSON.parse(value) as Omit<MeasuredPeer, 'photo' | 'startMs' | 'megabytes'>
    return { ...times, photo, startMs, megabytes: await residentMegabytes(child.pid!) }
  } finally {
    child.stdin!.end()
    await over
  }
}

const peers = ['wasm', 'native', 'human', 'face-api']

/** Photos of 0.8, 3 and 12 megapixels; a process for each photo, so that each begins cold. */
export async function measurePeers(rounds: number): Promise<MeasuredPeer[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'photos-'))
  try {
    // Makes the bundle, which is no part of a start.
    await ended(startPeer())
    const measured: MeasuredPeer[] = []
    for (const { name, bytes } of await benchPhotos()) {
      if (!name.startsWith('portrait')) continue
      const file = path.join(folder, 'photo.jpg')
      await writeFile(file, bytes)
      for (const peer of peers) measured.push(await measurePeer(peer, name, file, rounds))
    }
    return measured
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export function peersTable(measured: readonly MeasuredPeer[]): string {
  const cells = measured.map((peer) => [
    peer.photo,
    peer.name,
    ...[peer.startMs, peer.coldMs, peer.warmMs, peer.warmProcessorMs, peer.megabytes].map((value) =>
      value.toFixed(0),
    ),
  ])
  const head = ['photo', 'contender', 'start ms', 'first ms', 'later ms', 'processor ms', 'RSS MB']
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
