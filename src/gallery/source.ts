/** Interfaces that a gallery depends on: the source of templates, and a store for snapshots. */
import type { Comparison, NormalizedTemplate } from '../decide/comparison.ts'

/** A template enrolled in a collection, normalised by the cohort. */
export interface EnrolledTemplate extends NormalizedTemplate {
  /** Key of the row: positive, ascending in the order in which rows become visible, never reused. */
  number: number
  /** The person it belongs to. */
  subjectId: string
}

export interface Removal {
  /** Ascending in the order in which removals become visible. */
  number: number
  templateNumber: number
}

/** The source of truth about collections: the database. Returns only templates of the model and cohort in use. */
export interface GallerySource {
  /**
   * Number of templates. Removals with a number below `removedBefore` are no longer listed. `null` if the collection does not
   * exist.
   */
  state(collectionId: string): Promise<{ count: number; removedBefore: number } | null>
  /** Templates with a number above `after`, ascending, at most `max`. */
  added(collectionId: string, after: number, max: number): Promise<EnrolledTemplate[]>
  /** Removals with a number above `after`, ascending, at most `max`. */
  removed(collectionId: string, after: number, max: number): Promise<Removal[]>
  /** Reads templates by number; removed ones are left out. */
  read(collectionId: string, numbers: readonly number[]): Promise<EnrolledTemplate[]>
}

/** Store of index snapshots, for fast starts. */
export interface GallerySnapshots {
  /** Collections that have a snapshot, written by any process. */
  list(): Promise<string[]>
  /** `null` if there is none. */
  read(collectionId: string): Promise<Uint8Array | null>
  /**
   * Replaces the snapshot atomically. The parts are generated while writing; if the generator throws, nothing is left behind
   * and the promise is rejected with the same error.
   */
  write(collectionId: string, parts: Iterable<Uint8Array>): Promise<void>
  remove(collectionId: string): Promise<void>
}

/** Where no snapshot may be kept. */
export const noSnapshots: GallerySnapshots = {
  list: async () => [],
  read: async () => null,
  write: async () => {},
  remove: async () => {},
}

/** A candidate for the probe's subject, with its best template. */
export interface Candidate extends Comparison {
  number: number
  subjectId: string
}

/** Yields to other work between two slices of a few milliseconds. */
export type Pause = () => Promise<void>
