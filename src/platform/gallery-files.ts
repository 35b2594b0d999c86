/** Snapshots of search indexes as files in one folder, for servers. They hold biometric templates, so only the owner has access. */
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import type { GallerySnapshots } from '../gallery/source.ts'
import { makeFolder } from './private-file.ts'
import { writeWhole } from './whole-file.ts'

const ending = '.index'
const draftEnding = '.part'

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** @param folder used by this process only; created with the first snapshot */
export function galleryFiles(folder: string): GallerySnapshots {
  const resolveFile = (collectionId: string) => path.join(folder, collectionId + ending)
  return {
    async list() {
      const names = await readdir(folder).catch((error: unknown) => {
        if (isMissing(error)) return []
        throw error
      })
      // Drafts that a crash left are useless. One that stays is listed like a snapshot, so that it is removed with its collection.
      const drafts = names.filter((name) => name.endsWith(draftEnding))
      const removals = await Promise.allSettled(
        drafts.map((name) => rm(path.join(folder, name), { force: true })),
      )
      const left = drafts.filter((_, place) => removals[place]?.status === 'rejected')
      const listed = [
        ...names.filter((name) => name.endsWith(ending)),
        ...left.map((name) => name.slice(0, -draftEnding.length)),
      ]
      return [...new Set(listed.map((name) => name.slice(0, -ending.length)))]
    },
    async read(collectionId) {
      return readFile(resolveFile(collectionId)).catch((error: unknown) => {
        if (isMissing(error)) return null
        throw error
      })
    },
    async write(collectionId, parts) {
      await makeFolder(folder, 0o700)
      const file = resolveFile(collectionId)
      await writeWhole(file, parts, { mode: 0o600, draft: file + draftEnding })
    },
    async remove(collectionId) {
      const file = resolveFile(collectionId)
      for (const name of [file, file + draftEnding]) await rm(name, { force: true })
    },
  }
}
