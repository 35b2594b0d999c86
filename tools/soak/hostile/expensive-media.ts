import { hasFfmpeg, makeClip, remake } from '../../../test/fixtures/clips.ts'
import { ramp, writePng } from '../../../test/fixtures/pictures.ts'
import { areOnly, form, greedyForms } from './call.ts'
import type { Scenario } from './scenario.ts'

const width = 8000
const height = 4990

/** A few kilobytes each that take seconds. */
async function expensiveMedia(): Promise<Record<string, Uint8Array>> {
  const flat = { width, height, data: new Uint8ClampedArray(width * height * 4).fill(120) }
  const png = writePng(flat, 'grey8')
  if (!hasFfmpeg) return { png, small: writePng(ramp(200, 200), 'rgb8') }
  const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '45', '-g', '300']
  return {
    png,
    webp: await remake(png, 'webp', ['-c:v', 'libwebp', '-lossless', '1', '-compression_level', '0']),
    clip: await makeClip({ extension: 'mp4', encoder, width: 3840, height: 2160, seconds: 4 }),
  }
}

/** Pictures of forty megapixels and clips of 4K by twenty callers. */
export const expensiveMediaOfMany: Scenario = async (url, tools) => {
  const media = await expensiveMedia()
  const bodies = Object.values(media).map((bytes) =>
    form({ video: bytes }, '{"analyses": [{"type": "quality"}]}'),
  )
  let statuses: Record<string, number> = {}
  const honest = await tools.whileHonest(async () => {
    statuses = await greedyForms(
      url,
      { count: 20, seconds: tools.isSample ? 20 : 25 },
      (caller, round) => bodies[(caller + round) % bodies.length]!,
    )
  })
  return {
    name: 'small files that are expensive to judge',
    isHeld: honest.refused === 0 && (statuses[200] ?? 0) > 0 && areOnly(statuses, 200, 400, 503),
    isInTime: tools.isServedInTime(honest),
    facts: {
      honest,
      statuses,
      bytes: Object.fromEntries(Object.entries(media).map(([name, bytes]) => [name, bytes.length])),
    },
  }
}
