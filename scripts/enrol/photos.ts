import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** A file to enrol, and whom it shows. */
export interface Photo {
  /** Below the folder that is enrolled, with slashes. */
  path: string
  file: string
  /** Name of the person: the folder, or the file where it lies beside the folders. */
  person: string
}

/**
 * All files below a folder but hidden ones, in the order of their names. What is no photo is for the server to refuse; links
 * are read, but those to folders cannot be.
 * @throws {Error} when the folder cannot be read
 */
export async function findPhotos(folder: string): Promise<Photo[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      const below = path.relative(folder, file).split(path.sep).join('/')
      const person = path.posix.dirname(below)
      return { path: below, file, person: person === '.' ? below : person }
    })
    .filter((photo) => !photo.path.split('/').some((name) => name.startsWith('.')))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}
