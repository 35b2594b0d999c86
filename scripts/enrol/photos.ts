import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** A file to enrol, and its person. */
export interface Photo {
  /** Relative to the enrolled folder, with slashes. */
  path: string
  file: string
  /** Name of the person: the folder, or the file if it is not in a subfolder, after the prefix. */
  person: string
}

/**
 * All files below a folder except hidden ones, sorted by path. The server refuses files that are not photos. Symbolic links
 * to files are followed; links to folders cannot be read.
 * @param prefix of the names of persons, so that those of two sets differ
 * @throws {Error} if the folder cannot be read
 */
export async function findPhotos(folder: string, prefix: string): Promise<Photo[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      const below = path.relative(folder, file).split(path.sep).join('/')
      const person = path.posix.dirname(below)
      return { path: below, file, person: `${prefix}${person === '.' ? below : person}` }
    })
    .filter((photo) => !photo.path.split('/').some((name) => name.startsWith('.')))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}
