/** Clips of people with their known gestures. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { GestureName } from '../../src/vision/clip/gestures.ts'
import { remake } from '../../test/fixtures/clips.ts'

export interface PeopleClip {
  name: string
  bytes: Uint8Array
  shown: ReadonlySet<GestureName>
  /** Gestures that may or may not be in the clip. */
  unclear: ReadonlySet<GestureName>
}

interface Seen {
  shown: readonly GestureName[]
  unclear: readonly GestureName[]
}

/** Blinks were not annotated, and speech and grimaces widen mouths. */
const unlabelled: Seen = { shown: [], unclear: ['eyes'] }

/**
 * `labels.csv` says what each clip is about in words; this is what was seen in them, frame by frame, where there is more to
 * say. The man of `head_turn` was to turn his head, but in what is left of that clip he grins until he stops; the two of the third
 * one lean their heads, which is no gesture of the contract; the speaker of d20 hardly turns, and his smile is a matter of taste.
 */
const seen: Readonly<Record<string, Seen>> = {
  liveportrait_d18: { shown: [], unclear: ['eyes', 'smile'] },
  liveportrait_d19: { shown: ['smile'], unclear: ['eyes'] },
  liveportrait_d20: { shown: [], unclear: ['eyes', 'smile', 'left', 'right', 'scan', 'zoom_in', 'zoom_out'] },
  'head-pose-face-detection-female': { shown: ['left', 'right', 'scan'], unclear: ['eyes'] },
  'head-pose-face-detection-male': { shown: ['smile'], unclear: ['eyes'] },
  'head-pose-face-detection-female-and-male': {
    shown: [],
    unclear: ['eyes', 'left', 'right', 'high', 'down', 'scan'],
  },
}

const folders = ['expression', 'gestures', 'head_turn']

/** Animated pictures are converted to clips. */
async function clipOf(file: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(await readFile(file))
  if (!file.endsWith('.gif')) return bytes
  return remake(bytes, 'mp4', ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-crf', '18'])
}

/** The clips of people in a folder's `video/`; empty if there is no such folder. */
export async function* peopleClips(folder: string): AsyncGenerator<PeopleClip> {
  for (const kind of folders) {
    const inside = path.join(folder, 'video', kind)
    for (const name of (await readdir(inside).catch(() => [])).sort()) {
      const { shown, unclear } = seen[path.parse(name).name] ?? unlabelled
      const bytes = await clipOf(path.join(inside, name))
      yield { name: `${kind}/${name}`, bytes, shown: new Set(shown), unclear: new Set(unclear) }
    }
  }
}
