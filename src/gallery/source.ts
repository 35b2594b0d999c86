/** What a gallery stands on: the truth about collections, and a place for snapshots. */
import type { Comparison, NormalizedTemplate } from '../decide/comparison.ts'

/** A template enrolled in a collection, placed in the cohort. */
export interface EnrolledTemplate extends NormalizedTemplate {
  /** Key of the row: above 0, ascending in the order in which rows become visible, never used again. */
  number: number
  /** Whom it belongs to. */
  subjectId: string
}

export interface Removal {
  /** Ascending in the order in which removals become visible. */
  number: number
  templateNumber: number
}

/** The truth about collections: the database. It knows only templates of the model and cohort in use. */
export interface GallerySource {
  /**
   * How many templates there are; removals with a number below `removedBefore` are no longer listed. `null` when there is
   * no such collection.
   */
  state(collectionId: string): Promise<{ count: number; removedBefore: number } | null>
  /** Templates with a number above `after`, ascending, at most `max`. */
  added(collectionId: string, after: number, max: number): Promise<EnrolledTemplate[]>
  /** Removals with a number above `after`, ascending, at most `max`. */
  removed(collectionId: string, after: number, max: number): Promise<Removal[]>
  /** Those of the given templates that are still there. */
  read(collectionId: string, numbers: readonly number[]): Promise<EnrolledTemplate[]>
}

/** Index snapshots on disk, for fast starts. */
export interface GallerySnapshots {
  /** Collections that have a snapshot, whoever wrote it. */
  list(): Promise<string[]>
  /** `null` where there is none. */
  read(collectionId: string): Promise<Uint8Array | null>
  /**
   * Replaces the snapshot, whole or not at all. The parts are made one by one while they are written; when making one
   * throws, nothing is left behind and the promise is rejected with the same error.
   */
  write(collectionId: string, parts: Iterable<Uint8Array>): Promise<void>
  remove(collectionId: string): Promise<void>
}

/** A subject that may be the probe's, by its best template. */
export interface Candidate extends Comparison {
  number: number
  subjectId: string
}

/** Lets other work in between two slices of a few milliseconds. */
export type Pause = () => Promise<void>
