/** Sends good and bad clips while the server's memory is measured. */
import { type ClipName, clip, hasFfmpeg, makeClip, recipes } from '../../test/fixtures/clips.ts'
import { portrait } from '../../test/fixtures/portraits.ts'
import type { TestServer } from '../../test/fixtures/server.ts'
import { zip } from '../../test/fixtures/zip.ts'
import type { Send } from './doors.ts'
import { broken, folderFiles, generator } from './hostile-files.ts'
import { growth, residentMegabytes } from './resources.ts'

interface Sample {
  name: string
  bytes: Uint8Array
  /** Statuses that are right answers. */
  right: readonly number[]
}

const answerMsMax = 20_000
const warmUpClips = 8
const memorySamples = 60
/** Memory comes and goes with the collector; only many clips show whether it comes back. */
const growthMax = (clips: number): number => (clips < 200 ? 0.3 : 0.1)

async function goodClips(): Promise<Sample[]> {
  const names: ClipName[] = [
    'h264 mp4',
    'hevc mp4',
    'vp8 webm',
    'vp9 webm',
    'mjpeg avi',
    'h264 mp4 turned by 90',
  ]
  const large = { ...recipes['h264 mp4'], width: 1280, height: 720, seconds: 3 }
  const photo = await portrait('brunette')
  const archive = zip(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}.jpg`, photo])))
  return [
    ...(await Promise.all(names.map(async (name) => ({ name, bytes: await clip(name), right: [200] })))),
    { name: '720p', bytes: await makeClip(large), right: [200] },
    { name: 'archive', bytes: archive, right: [200] },
  ]
}

/** Good ones, and as many that are damaged, too short, or not what they say. */
async function* samples(count: number): AsyncGenerator<Sample> {
  const good = await goodClips()
  const short = await makeClip({ ...recipes['h264 mp4'], seconds: 0.2 })
  const listed = (await folderFiles()).filter(({ name }) => name.startsWith('video'))
  const random = generator(20261121)
  const bad: ((index: number) => Sample)[] = [
    (i) => ({ name: `broken ${i}`, bytes: broken(good[i % good.length]!.bytes, random), right: [200, 400] }),
    () => ({ name: 'too short', bytes: short, right: [400] }),
    (i) => ({ name: `cut ${i}`, bytes: cut(good[i % good.length]!.bytes, random), right: [200, 400] }),
    (i) => ({ name: `archive ${i}`, bytes: zip({ 'a.jpg': cut(short, random) }), right: [400] }),
    ...listed.map(({ name, bytes }) => () => ({ name, bytes, right: [200, 400] })),
  ]
  for (let i = 0; i < count; i++) {
    const turn = i >> 1
    yield i % 2 === 0 ? good[turn % good.length]! : bad[turn % bad.length]!(turn)
  }
}

const cut = (bytes: Uint8Array, random: () => number): Uint8Array =>
  bytes.slice(0, 1 + Math.floor(random() * (bytes.length - 1)))

/**
 * Sends clips by two callers.
 * @returns what was not as it must be
 */
export async function clipsPart(
  { url, process: server }: TestServer,
  count: number,
  sends: readonly Send[],
  say: (text: string) => void,
): Promise<string[]> {
  if (count === 0) return []
  if (!hasFfmpeg) {
    say('no clips: ffmpeg is not installed')
    return []
  }
  const faults: string[] = []
  const memory: number[] = []
  const answers = new Map<number, number>()
  const every = Math.max(1, Math.floor(count / memorySamples))
  const source = samples(count + warmUpClips)
  let index = 0
  const caller = async (): Promise<void> => {
    for (let next = await source.next(); !next.done; next = await source.next()) {
      const { name, bytes, right } = next.value
      const turn = index++
      const start = performance.now()
      const response = await sends[turn % sends.length]!(url, bytes)
      await response.arrayBuffer()
      const ms = performance.now() - start
      answers.set(response.status, (answers.get(response.status) ?? 0) + 1)
      if (!right.includes(response.status)) faults.push(`clip ${name}: ${response.status}`)
      if (ms > answerMsMax) faults.push(`clip ${name}: ${ms.toFixed(0)} ms`)
      if (turn < warmUpClips || turn % every !== 0) continue
      memory.push(await residentMegabytes(server.pid!))
      say(`clip ${turn} of ${count + warmUpClips}: ${memory.at(-1)!.toFixed(0)} MB`)
    }
  }
  await Promise.all([caller(), caller()])
  const grown = growth(memory)
  const counts = [...answers].sort(([a], [b]) => a - b).map(([status, times]) => `${times} × ${status}`)
  say(`${index} clips: ${counts.join(', ')}; memory grew by ${(grown * 100).toFixed(1)} %`)
  if (grown > growthMax(count)) faults.push(`memory grew by ${(grown * 100).toFixed(1)} % over clips`)
  return faults
}
