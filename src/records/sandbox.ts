/** Sandboxes: integration tests name an outcome, in the metadata of a folder or by the name of a file, and analyses end so without inference. */
import { type ReasonCode, reasonCodes } from '../decide/reasons.ts'
import { AppError } from '../errors.ts'
import type { Metadata } from './medium.ts'

/** Outcomes that all end with SUCCESS, and what is special about them. */
export const sandboxSuccesses = {
  success: 'What a folder without a name gets.',
  slow: 'Analyses take 10 seconds.',
  webhook_retried:
    'The first webhook counts as failed, whatever the receiver answers: the second comes some 10 seconds later.',
} as const

/** What a folder of a sandbox may ask for: the reason that its analyses give, or a kind of success. */
export type SandboxName = keyof typeof sandboxSuccesses | Exclude<ReasonCode, 'undecided'>

/** `undecided` is a reason of failures that an early release has stored. */
const isNameable = (code: ReasonCode): code is Exclude<ReasonCode, 'undecided'> => code !== 'undecided'

export const sandboxNames: readonly SandboxName[] = [
  ...(Object.keys(sandboxSuccesses) as (keyof typeof sandboxSuccesses)[]),
  ...reasonCodes.filter(isNameable),
]

export const sandboxSlowMs = 10_000

/** What a folder asks for: an outcome, or what the files of its media are called. */
export type SandboxWish = SandboxName | 'by_file'

/** Browsers number the copies of a file: `no_face (1).png`, `no_face(1).png`, `no_face-1.png`. */
const fileForm = /^(\w+)(?: ?\(\d+\)|-\d+)?\.\w+$/

/**
 * The outcome of an analysis: that of its folder, or that of the first of its media whose file is called like one, as
 * `/samples/no_face.png` is, or `success`.
 */
export function sandboxNameOf(
  wish: SandboxWish,
  media: readonly { originalName: string | null }[],
): SandboxName {
  if (wish !== 'by_file') return wish
  const stems = media.map(({ originalName }) => fileForm.exec(originalName ?? '')?.[1])
  const found = stems.flatMap((stem) => sandboxNames.find((known) => known === stem) ?? [])
  return found[0] ?? 'success'
}

/**
 * The outcome that the metadata of a folder asks for.
 * @throws {AppError} `value_invalid` for a name that there is not
 */
export function readSandboxName({ sandbox: asked = null }: Metadata): SandboxWish {
  const name = asked === null ? 'by_file' : sandboxNames.find((known) => known === asked)
  if (name) return name
  const place = 'meta_data.sandbox'
  throw new AppError('value_invalid', 'The sandbox has no outcome of this name', {
    details: { key_path: place, expected: sandboxNames.join(', ') },
    place,
  })
}
