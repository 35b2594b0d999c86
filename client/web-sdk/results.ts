/** What pages of the vendor's Web SDK are told, in its words. */
import type { Analysis, Folder } from '../answers.ts'

/** How much the page is told. `full` has scores and links, so it is for tests. */
export type ResultMode = 'safe' | 'status' | 'folder' | 'full'

export const resultModes: readonly string[] = ['safe', 'status', 'folder', 'full'] satisfies ResultMode[]

interface AnalysisResult {
  state: string
  resolution: string
  result_json?: Analysis
}

export interface SdkResult {
  state: string
  folder_id?: string
  analyses?: { [type: string]: AnalysisResult }
  /** The session in `/api/event_sessions`, if the folder is kept and the token may report to it. */
  event_session_id: string
}

const lower = (word: string): string => word.toLowerCase()

/** Links to frames, by the id of the medium. */
export type FrameLinks = ReadonlyMap<string, readonly string[]>

/** An analysis whose media have frames, as archives of frames have. */
function withFrames(analysis: Analysis, frames: FrameLinks): Analysis {
  const media = (analysis.source_media ?? []).map((medium) => {
    const links = frames.get(medium.media_id)
    return links ? { ...medium, images: links.map((original_url) => ({ original_url })) } : medium
  })
  return { ...analysis, source_media: media }
}

/** The result of a folder. */
export function sdkResult(
  folder: Folder,
  mode: ResultMode,
  sessionId: string,
  frames: FrameLinks = new Map(),
): SdkResult {
  const result: SdkResult = { state: lower(folder.resolution_status), event_session_id: sessionId }
  if (mode === 'safe') return result
  const analyses = (folder.analyses ?? []).map((analysis) => [
    lower(analysis.type),
    {
      state: lower(analysis.state),
      resolution: lower(analysis.resolution_status),
      ...(mode === 'full' ? { result_json: withFrames(analysis, frames) } : {}),
    },
  ])
  return {
    ...result,
    ...(mode === 'status' ? {} : { folder_id: folder.folder_id }),
    analyses: Object.fromEntries(analyses),
  }
}

/** How an action is captured. */
export interface Step {
  action: string
  /** Key of the medium. */
  key: string
  mode: 'clip' | 'photo' | 'document'
  gesture: string | null
  tags: readonly string[]
}

const gestures: readonly string[] = [
  'left',
  'right',
  'high',
  'down',
  'smile',
  'eyes',
  'scan',
  'blank',
  'best',
  'zoom_in',
  'zoom_out',
]

/** @returns `null` for an action that does not exist */
export function stepOf(action: string): Omit<Step, 'key' | 'action'> | null {
  if (action === 'photo_id_front' || action === 'photo_id_back')
    return { mode: 'document', gesture: null, tags: ['photo_id', action] }
  if (action === 'photo_selfie') return { mode: 'photo', gesture: null, tags: [action] }
  if (action === 'video_selfie_oneshot')
    return { mode: 'photo', gesture: null, tags: ['video_selfie', action] }
  const gesture = action.replace(/^video_selfie_/, '')
  if (gesture === action || !gestures.includes(gesture)) return null
  const shown = gesture === 'blank' || gesture === 'best' || gesture === 'scan' ? null : gesture
  return { mode: 'clip', gesture: shown, tags: ['video_selfie', action] }
}
