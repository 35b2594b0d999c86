/** The pictures of a folder by person: `faces/IDENTITY/PICTURE`. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'

interface IdentityPicture {
  /** Relative to the folder. */
  file: string
  subjectId: string
}

/** In the order of names; empty if there is no such folder. */
export async function readIdentities(folder: string): Promise<IdentityPicture[]> {
  const faces = path.join(folder, 'faces')
  const identities = (await readdir(faces).catch(() => [])).sort()
  const pictures: IdentityPicture[] = []
  for (const subjectId of identities) {
    const names = (await readdir(path.join(faces, subjectId))).filter((name) => /\.(jpe?g|png)$/i.test(name))
    pictures.push(...names.sort().map((name) => ({ subjectId, file: path.join('faces', subjectId, name) })))
  }
  return pictures
}
