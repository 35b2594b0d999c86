/** The shape of `models/manifest.json`: which networks there are, where they come from and how well they do. */
import type { ModelId } from './engine.ts'

export type ProfileName = 'standard' | 'embedded'

export interface Profile {
  detector: ModelId
  landmarks: ModelId
  template: ModelId
  pad: readonly ModelId[]
  /** `low`: the presentation attack detection misses real prints and many screens, and says so wherever it answers. */
  assurance: 'standard' | 'low'
}

export type Converter = 'none' | 'face-api-resnet' | 'facemesh' | 'blazeface' | 'minifasnet'

interface SourceFile {
  path: string
  sha256: string
}

export type ModelSource =
  /** Files inside an installed package. */
  | { kind: 'package'; package: string; files: readonly SourceFile[]; convert: Converter }
  /** A file at a public address, also looked for by name in the mirror. */
  | { kind: 'download'; file: SourceFile; url: string; convert: Converter }
  /** A file that only a mirror may hold: an equal network converted elsewhere. */
  | { kind: 'mirror'; file: SourceFile; convert: Converter }
  /** A file of this repository, beside the manifest. */
  | { kind: 'repository'; file: SourceFile; convert: Converter }

/** Numbers that a freshly built network must give, computed with another runtime. */
export interface GoldenCheck {
  /** Shape of the made-up input, see `goldenInput`. */
  shape: readonly number[]
  /** Its largest value. */
  range: number
  output: string
  /** The first values of that output. */
  values: readonly number[]
  tolerance: number
}

export interface ModelEntry {
  id: ModelId
  name: string
  version: string
  task: string
  /** Name of the built file in the models directory. */
  file: string
  /** Licence of the weights (SPDX), and whose they are. */
  licence: string
  attribution: string
  card: string
  /** Tried in order. */
  sources: readonly ModelSource[]
  /** SHA-256 of the built file; one per source that gives other bytes. */
  built: readonly string[]
  input: string
  outputs: string
  golden: GoldenCheck
}

export interface CohortEntry {
  id: string
  file: string
  sha256: string
  card: string
}

export interface Manifest {
  version: number
  profiles: Record<ProfileName, Profile>
  models: readonly ModelEntry[]
  cohort: CohortEntry
}

/** The networks that a profile runs. */
export function profileModels(manifest: Manifest, profile: ProfileName): ModelEntry[] {
  const { detector, landmarks, template, pad } = manifest.profiles[profile]
  return [detector, landmarks, template, ...pad].map((id) => {
    const entry = manifest.models.find((model) => model.id === id)
    if (!entry) throw new TypeError(`the manifest has no model ${id}`)
    return entry
  })
}
