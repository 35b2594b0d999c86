/** `check`: checks a selfie in this process, without a server. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createApp } from '../../src/app.ts'
import { openServices } from '../../src/compose/open-services.ts'
import { spacedJson } from '../../src/contract/spaced-json.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { readSettings } from '../../src/settings.ts'
import { annotatePhoto, type Findings, inspectPhoto } from '../annotate/annotate.ts'
import { type Command, complain, exitCodes, readArguments, say, UsageError } from './command.ts'
import { readLocalSettings } from './local-settings.ts'
import { thisRuntime } from './runtime.ts'

interface Medium {
  name: string
  file: string
  bytes: Uint8Array<ArrayBuffer>
}

/** The parts of an answer that are shown. */
interface Analysis {
  type: string
  resolution_status: string
  state: string
  results_data: Record<string, number | null> | null
  confs: Record<string, number> | null
  technical_meta_data?: {
    reasons?: { message: string; advice: string }[]
    /** Only if it was asked for. */
    detail?: { media: { picture: Findings | null }[] }
  }
}

interface Folder {
  system_resolution: string
  analyses: Analysis[]
  error_message?: string
  error_details?: unknown
}

async function readMedium(name: string, file: string): Promise<Medium> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read (${error.code})`)
  })
  return { name, file, bytes: new Uint8Array(bytes) }
}

/** The answer to the same request without `detail`. */
function withoutDetail(text: string): string {
  const folder = JSON.parse(text)
  for (const { technical_meta_data: technical } of folder.analyses ?? []) delete technical?.detail
  return spacedJson(folder)
}

/** Sends one Instant request to the service in this process. */
async function ask(media: readonly Medium[], hasDetail: boolean): Promise<{ status: number; text: string }> {
  const settings = readLocalSettings({ ASSESS_WORKERS: '1', LOG_LEVEL: 'error' })
  const platform = await openServerPlatform(thisRuntime(), settings, complain)
  try {
    const app = createApp(platform, settings, await openServices(platform, settings))
    const captured = media.map(({ name }) => name).filter((name) => name !== 'id')
    const liveness = { type: 'quality', source_media: captured, params: { extract_best_shot: false } }
    const analyses = media.length > 1 ? [liveness, { type: 'biometry' }] : [liveness]
    const form = new FormData()
    form.append('payload', JSON.stringify({ analyses, ...(hasDetail ? { detail: true } : {}) }))
    for (const { name, file, bytes } of media) form.append(name, new Blob([bytes]), path.basename(file))
    const request = new Request('http://localhost/api/instant/folders/', { method: 'POST', body: form })
    const answer = await app.fetch(request, {})
    return { status: answer.status, text: await answer.text() }
  } finally {
    await platform.assessor.close()
  }
}

const show = (value: number | null | undefined): string => (value == null ? 'none' : value.toFixed(4))

const outcomes: Record<string, string> = {
  SUCCESS: 'passed',
  DECLINED: 'declined',
  OPERATOR_REQUIRED: 'an operator must decide',
  FAILED: 'no decision',
}

const describeOutcome = (resolution: string): string => outcomes[resolution] ?? resolution

function describe(analysis: Analysis): string {
  const { type, results_data: scores, confs, resolution_status } = analysis
  const title = type === 'QUALITY' ? 'liveness' : 'same person'
  if (analysis.state === 'FAILED') return `${title}: no decision`
  const numbers =
    type === 'QUALITY'
      ? `attack score ${show(scores?.confidence_spoofing)}, passes below ${show(confs?.threshold_spoofing ?? confs?.threshold)}`
      : `score ${show(scores?.min_confidence)}, matches from ${show(confs?.threshold_max)}`
  return `${title}: ${describeOutcome(resolution_status)} (${numbers})`
}

/** Why an analysis has not passed, and what to do; `[]` if it has. */
const describeReasons = ({ technical_meta_data }: Analysis): string[] =>
  (technical_meta_data?.reasons ?? []).map(({ message, advice }) => `  ${message} ${advice}`)

/** Writes the photo with what was found on it. */
async function annotate(
  file: string,
  { bytes }: Medium,
  header: ReturnType<typeof inspectPhoto>,
  { analyses, system_resolution: resolution }: Folder,
): Promise<void> {
  const liveness = analyses.find(({ type }) => type === 'QUALITY')
  const found = liveness?.technical_meta_data?.detail?.media[0]?.picture ?? null
  const score = liveness?.results_data?.confidence_spoofing
  const words =
    score == null
      ? describeOutcome(resolution)
      : `${describeOutcome(resolution)}  attack score ${show(score)}`
  const picture = await annotatePhoto(bytes, header, found, resolution, words)
  await writeFile(file, picture).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be written (${error.code}): name another file`)
  })
}

/** @throws {UsageError} if the picture would replace one of the media */
function requireOther(file: string, media: readonly Medium[]): void {
  const same = media.find((medium) => path.resolve(medium.file) === path.resolve(file))
  if (same) throw new UsageError(`--annotate would replace ${same.file}: name another file`)
}

function toExitCode({ system_resolution }: Folder): number {
  if (system_resolution === 'SUCCESS') return exitCodes.done
  return system_resolution === 'DECLINED' ? exitCodes.refused : exitCodes.undecided
}

export const checkCommand: Command = {
  name: 'check',
  summary: 'Check a selfie, also against an ID, without a server',
  usage: `usage: vivace check [SELFIE] [--clip CLIP] [--id CARD] [--annotate FILE] [--json] [--detail]

Is the selfie (a photo, a clip, or a ZIP of frames) of a live person, and does the photo of the ID show the same one? With --clip both
the photo and the clip must be of a live person, and of the same one. Runs in this process; nothing is stored. Settings of the
environment apply, such as MODEL_PROFILE and SVC_SPOOFING_THRESHOLD.

  --clip CLIP       a clip of the person, beside the selfie or in place of it
  --id CARD         a photo of an ID, or any other photo of the person
  --annotate FILE   write the selfie, a photo, as a JPEG with face box, landmarks and verdict on it
  --json            print the folder of the API
  --detail          print the folder of the API with how each score came about

Exit code: 0 passed, 2 declined, 3 no decision (an operator must decide, or there is no face), 1 could not run.
`,
  async run(args) {
    const { values, positionals } = readArguments(args, {
      clip: { type: 'string' },
      id: { type: 'string' },
      annotate: { type: 'string' },
      json: { type: 'boolean' },
      detail: { type: 'boolean' },
    })
    const [selfie, ...rest] = positionals
    if (rest.length > 0 || (selfie ?? values.clip) === undefined)
      throw new UsageError('Name one selfie, or a clip with --clip')
    if (selfie === undefined && values.annotate !== undefined)
      throw new UsageError('--annotate draws on a selfie: name one')
    const given = { selfie, clip: values.clip, id: values.id }
    const media: Medium[] = []
    for (const [name, file] of Object.entries(given))
      if (file !== undefined) media.push(await readMedium(name, file))
    const pixelsMax = readSettings(process.env).imageMegapixelsMax * 1e6
    if (values.annotate !== undefined) requireOther(values.annotate, media)
    const header = values.annotate === undefined ? null : inspectPhoto(media[0]!.bytes, pixelsMax)
    const { status, text } = await ask(media, values.detail === true || header !== null)
    const folder = JSON.parse(text) as Folder
    if (values.detail) say(text)
    else if (values.json) say(header === null ? text : withoutDetail(text))
    if (status !== 200) throw new Error(folder.error_message ?? `the service answers with ${status}`)
    if (values.annotate !== undefined && header) await annotate(values.annotate, media[0]!, header, folder)
    if (!values.json && !values.detail) {
      for (const analysis of folder.analyses)
        for (const line of [describe(analysis), ...describeReasons(analysis)]) say(line)
      say(describeOutcome(folder.system_resolution))
    }
    return toExitCode(folder)
  },
}
