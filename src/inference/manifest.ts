/** The shape of `models/manifest.json`: networks, their sources, profiles and cohorts. */
import type { ModelId } from './engine.ts'

export type ProfileName = 'standard' | 'embedded'

/** Which networks may be used: all, or only those whose author is documented. */
export type Origin = 'any' | 'documented'

interface ProfileBase {
  detector: ModelId
  landmarks: ModelId
  /** `low`: attack detection uses fewer networks. Every response of such a profile states this. */
  assurance: 'standard' | 'low'
}

/** A profile as listed in the manifest. */
interface ProfileEntry extends ProfileBase {
  /** The first network that may be used extracts the templates. */
  template: readonly ModelId[]
  /** All networks that may be used are run. */
  pad: readonly ModelId[]
}

/** The networks that a profile runs. */
export interface Profile extends ProfileBase {
  template: ModelId
  pad: readonly ModelId[]
}

/** Networks that read documents. They belong to no profile, and are opened when the first document is read. */
export interface DocumentNetworks {
  /** Lines of machine-readable zones. */
  mrz?: ModelId
  /** Finds and reads the printed text of a page. */
  textDetection?: ModelId
  textRecognition?: ModelId
}

export type Converter =
  | 'none'
  | 'pruned'
  | 'face-api-resnet'
  | 'faceplugin-feature'
  | 'facemesh'
  | 'blazeface'
  | 'minifasnet'
  | 'text-recogniser'

interface SourceFile {
  path: string
  sha256: string
}

export type ModelSource =
  /** Files in an installed package. */
  | { kind: 'package'; package: string; files: readonly SourceFile[]; convert: Converter }
  /** A file at a public URL; a mirror is asked for it by name first. */
  | { kind: 'download'; file: SourceFile; url: string; convert: Converter }
  /** A file that only a mirror may have: an equivalent network converted elsewhere. */
  | { kind: 'mirror'; file: SourceFile; convert: Converter }
  /** A file in this repository, next to the manifest. */
  | { kind: 'repository'; file: SourceFile; convert: Converter }

/** Expected output of a freshly built network, computed with another runtime. */
export interface GoldenCheck {
  /** Shape of the synthetic input, see `goldenInput`. */
  shape: readonly number[]
  /** Largest value of the input. */
  range: number
  output: string
  /** Index of the first compared value; default 0. */
  from?: number
  /** Values of that output beside each other. */
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
  /** Licence (SPDX) and owner of the weights. */
  licence: string
  attribution: string
  /** `documented`: the author of the weights is known. */
  origin: 'documented' | 'undocumented'
  card: string
  /** Tried in order. */
  sources: readonly ModelSource[]
  /** SHA-256 of the built file; several if sources produce different bytes. */
  built: readonly string[]
  input: string
  outputs: string
  golden: GoldenCheck
}

/** The cohort that normalises the scores of one network's templates. */
interface CohortEntry {
  id: string
  /** The template network that it belongs to, and the id of its template method. */
  template: ModelId
  templateModelId: string
  file: string
  sha256: string
  card: string
  /** Normalised distance with the score 0.85, and change of the log odds per unit of distance. */
  threshold: number
  slope: number
}

export interface Manifest {
  version: number
  profiles: Record<ProfileName, ProfileEntry>
  models: readonly ModelEntry[]
  cohorts: readonly CohortEntry[]
  documents: DocumentNetworks
}

/** A profile with its networks and cohort. */
export interface ChosenProfile {
  name: ProfileName
  profile: Profile
  /** Its networks without duplicates. */
  entries: readonly ModelEntry[]
  cohort: CohortEntry
  /** The networks that read documents. */
  documents: readonly ModelEntry[]
}

/**
 * Resolves a profile of the manifest.
 * @throws {TypeError} if the manifest is inconsistent
 */
export function chooseProfile(manifest: Manifest, name: ProfileName, origin: Origin): ChosenProfile {
  const { template: templates, pad, ...others } = manifest.profiles[name]
  const entryOf = (id: ModelId) => {
    const entry = manifest.models.find((model) => model.id === id)
    if (!entry) throw new TypeError(`the manifest has no model ${id}`)
    return entry
  }
  const mayBeUsed = (id: ModelId) => origin === 'any' || entryOf(id).origin === 'documented'
  const template = templates.find(mayBeUsed)
  const cohort = manifest.cohorts.find((entry) => entry.template === template)
  if (!template || !cohort) throw new TypeError(`profile ${name} has no template network with a cohort`)
  const profile: Profile = { ...others, template, pad: pad.filter(mayBeUsed) }
  const ids = new Set([profile.detector, profile.landmarks, profile.template, ...profile.pad])
  const documents = Object.values(manifest.documents as Record<string, ModelId>).map(entryOf)
  return { name, profile, entries: [...ids].map(entryOf), cohort, documents }
}
