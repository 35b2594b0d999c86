/** The reader opens the test vectors, which other implementations can be tested with too. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { containerCrypto } from '../../../src/platform/container-crypto.ts'
import { readVectors, vectorFolder, vectorKeys } from '../../fixtures/containers.ts'
import { openVector } from '../../fixtures/open-vector.ts'

const vectors = await readVectors()

describe('test vectors of containers', () => {
  it('every container is listed', async () => {
    const files = (await readdir(vectorFolder)).filter((name) => name.endsWith('.bin'))
    expect(files.toSorted()).toEqual(vectors.map(({ file }) => file).toSorted())
  })

  it.each(vectors)(
    '$file opens, or is refused with its code: $says',
    async ({ file, says: _, ...outcome }) => {
      const bytes = new Uint8Array(await readFile(path.join(vectorFolder, file)))
      expect(await openVector(bytes, vectorKeys, containerCrypto)).toEqual(outcome)
    },
  )
})
