/** With S3-compatible storage, each analysis leaves its result as a file for each of its media, under the name of the contract. */
import { analysisView } from '../contract/full/analysis-view.ts'
import type { ViewOptions } from '../contract/full/media-view.ts'
import { spacedPieces } from '../contract/spaced-json.ts'
import { gather } from '../queue/loop-turns.ts'
import { type AnalysisRecord, engineResponseFile } from '../records/analysis.ts'
import type { FolderRecord } from '../records/folder.ts'
import type { NewBlob } from './record-files.ts'

/** The files for a finished analysis. */
export type EngineResponses = (folder: FolderRecord, analysis: AnalysisRecord) => Promise<NewBlob[]>

/** Without such storage. */
export const noEngineResponses: EngineResponses = async () => []

export const engineResponses =
  (options: ViewOptions): EngineResponses =>
  async (folder, analysis) => {
    const { text } = await gather(spacedPieces(analysisView(folder, analysis, options)))
    const bytes = new TextEncoder().encode(text)
    return analysis.media.map(({ mediumId }) => ({
      key: engineResponseFile(folder.id, analysis.id, mediumId),
      bytes,
      mimeType: 'application/json',
    }))
  }
