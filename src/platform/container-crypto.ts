/** What reads all bytes of a container, piece by piece: Web Crypto copies them at once, which holds the loop for 0.1 s and more. */
import { createDecipheriv, createHash } from 'node:crypto'
import type { ContainerCrypto } from '../container/container-reader.ts'
import { tagBytes } from '../container/format.ts'
import { allocateMediaMemory, pieceBytes } from '../media/media-memory.ts'

function* piecesOf(bytes: Uint8Array): Generator<[at: number, piece: Uint8Array]> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield [at, bytes.subarray(at, at + pieceBytes)]
}

export const containerCrypto: ContainerCrypto = {
  async decrypt(sealed, { key, iv }, turn) {
    const tagAt = sealed.length - tagBytes
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
    decipher.setAuthTag(sealed.subarray(tagAt))
    const plain = allocateMediaMemory(tagAt)
    for (const [at, piece] of piecesOf(sealed.subarray(0, tagAt))) {
      plain.set(decipher.update(piece), at)
      await turn()
    }
    decipher.final()
    return plain
  },
  async digest(bytes, turn) {
    const hash = createHash('sha256')
    for (const [, piece] of piecesOf(bytes)) {
      hash.update(piece)
      await turn()
    }
    return new Uint8Array(hash.digest())
  },
}
