/** The shape of `models/manifest.json`: which networks there are, where they come from and how well they do. */
import type { ModelId } from './engine.ts'

export type ProfileName = 'standard' | 'embedded'

/** Which networks may be used: all, or those alone of which it is known who trained them. */
export type Origin = 'any' | 'documented'

interface ProfileBase {
  detector: ModelId
  landmarks: ModelId
  /** `low`: fewer networks tell attacks from bona fide samples; named wherever such a profile answers. */
  assurance: 'standard' | 'low'
}

/** A profile as the manifest has it. */
export interface ProfileEntry extends ProfileBase {
  /** The first one that may be used makes the templates. */
  template: readonly ModelId[]
  /** All that may be used take part. */
  pad: readonly ModelId[]
}

/** The networks that a profile runs. */
export interface Profile extends ProfileBase {
  template: ModelId
  pad: readonly ModelId[]
}

export type Converter =
  | 'none'
  | 'face-api-resnet'
  | 'faceplugin-feature'
  | 'facemesh'
  | 'blazeface'
  | 'minifasnet'

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
  /** `documented`: it is known who trained it. */
  origin: 'documented' | 'undocumented'
  card: string
  /** Tried in order. */
  sources: readonly ModelSource[]
  /** SHA-256 of the built file; one per source that gives other bytes. */
  built: readonly string[]
  input: string
  outputs: string
  golden: GoldenCheck
}

/** What templates of one network are compared against. */
export interface CohortEntry {
  id: string
  /** The network whose templates it is for, and the id of these templates. */
  template: ModelId
  templateModelId: string
  file: string
  sha256: string
  card: string
  /** Normalised distance that gets the score 0.85, and log odds of the score per unit of it. */
  threshold: number
  slope: number
}

export interface Manifest {
  version: number
  profiles: Record<ProfileName, ProfileEntry>
  models: readonly ModelEntry[]
  cohorts: readonly CohortEntry[]
}

/** A profile with all that it needs. */
export interface ChosenProfile {
  name: ProfileName
  profile: Profile
  /** Its networks; one that has several tasks stands here once. */
  entries: readonly ModelEntry[]
  cohort: CohortEntry
}

/** @throws {TypeError} when the manifest contradicts itself */
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
  return { name, profile, entries: [...ids].map(entryOf), cohort }
}
