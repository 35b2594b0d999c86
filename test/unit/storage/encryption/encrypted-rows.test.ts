/** Templates and findings in encrypted columns, beside plain ones from before. */
import { describe, expect, it } from 'vitest'
import { decryptVector, encryptVector } from '../../../../src/storage/collections/encrypted-templates.ts'
import { decryptRow, encryptRow } from '../../../../src/storage/encryption/envelope.ts'
import { noCipher, type RowCipher } from '../../../../src/storage/encryption/row-cipher.ts'
import { currentFindings, findingsRow, type KeptFindings } from '../../../../src/storage/folders/findings.ts'
import { madeUpAssessment } from '../../../fixtures/assessments.ts'
import { memoryKeys } from '../../../fixtures/data-keys.ts'

async function memoryCipher(): Promise<RowCipher & { destroy(ownerId: string): boolean }> {
  const keys = await memoryKeys()
  return {
    encrypt: async (ownerId, place, plain) => encryptRow(await keys.obtain(ownerId), place, plain),
    async decrypt(ownerId, place, bytes) {
      const key = await keys.find(ownerId)
      return key && decryptRow(key, place, bytes)
    },
    forget() {},
    destroy: keys.destroy,
  }
}

const at = (personId: string, imageId = 'image', collectionId = 'list') => ({
  collectionId,
  imageId,
  personId,
})
const vector = Float32Array.from({ length: 128 }, (_, place) => Math.sin(place))

describe('a template', () => {
  it('is stored as bytes that do not hold it, and read again', async () => {
    const cipher = await memoryCipher()
    const stored = await encryptVector(cipher, at('Ada'), vector)
    expect(Buffer.from(stored).includes(Buffer.from(vector.buffer, 0, 16))).toBe(false)
    expect(await decryptVector(cipher, { ...at('Ada'), vector: stored })).toEqual(vector)
  })

  it('from before is read as it is, with and without keys', async () => {
    const plain = await encryptVector(noCipher, at('Ada'), vector)
    for (const cipher of [noCipher, await memoryCipher()])
      expect(await decryptVector(cipher, { ...at('Ada'), vector: plain })).toEqual(vector)
  })

  it('fails a search, rather than be missed, where it was moved or its key is gone', async () => {
    const cipher = await memoryCipher()
    const stored = await encryptVector(cipher, at('Ada'), vector)
    await cipher.encrypt('other list', 'a', new Uint8Array())
    const read = (place: ReturnType<typeof at>, by: RowCipher = cipher) =>
      decryptVector(by, { ...place, vector: stored })
    for (const place of [at('Grace'), at('Ada', 'other'), at('Ada', 'image', 'other list')])
      await expect(read(place)).rejects.toMatchObject({ code: 'database_failed' })
    await expect(read(at('Ada'), noCipher)).rejects.toMatchObject({ code: 'database_failed' })
    cipher.destroy('list')
    await expect(read(at('Ada'))).rejects.toMatchObject({ code: 'database_failed' })
  })
})

describe('findings', () => {
  const models = { key: 'networks', profile: 'embedded' } as const
  const kept: KeptFindings = {
    mediumId: 'photo',
    found: madeUpAssessment(),
    ...{ bestShot: null, actionShot: null, actionGesture: null },
  }
  const row = async (cipher: RowCipher) => {
    const { found, template = null } = await findingsRow(cipher, 'folder', kept, models.key)
    return { mediumNumber: 1, models: models.key, found, template, mediumId: 'photo', folderId: 'folder' }
  }

  it('are stored as bytes, and read again', async () => {
    const cipher = await memoryCipher()
    const stored = await row(cipher)
    expect(typeof stored.found).toBe('object')
    const plain = await currentFindings(noCipher, await row(noCipher), models)
    expect(plain?.mediumId).toBe('photo')
    expect(await currentFindings(cipher, stored, models)).toEqual(plain)
    expect(await currentFindings(cipher, await row(noCipher), models)).toEqual(plain)
  })

  it('of another medium, another folder or a destroyed key count as not there', async () => {
    const cipher = await memoryCipher()
    const stored = await row(cipher)
    await cipher.encrypt('other', 'a', new Uint8Array())
    for (const place of [{ mediumId: 'other' }, { folderId: 'other' }])
      expect(await currentFindings(cipher, { ...stored, ...place }, models)).toBeNull()
    cipher.destroy('folder')
    expect(await currentFindings(cipher, stored, models)).toBeNull()
  })
})
