/** The reader opens the test vectors, which other implementations can be tested with too. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readChallenge } from '../../../src/container/challenge.ts'
import { openContainerKeys } from '../../../src/container/container-keys.ts'
import { ContainerReader } from '../../../src/container/container-reader.ts'
import { errorAnswer } from '../../../src/contract/error-table.ts'
import { AppError } from '../../../src/errors.ts'
import { openSessionTokens } from '../../../src/identity/session-token.ts'
import { vectorFolder, vectorKeys } from '../../fixtures/containers.ts'

const vectors: { file: string; says: string; code?: number; opens?: object }[] = JSON.parse(
  await readFile(path.join(vectorFolder, 'vectors.json'), 'utf8'),
)
const reader = new ContainerReader({
  keys: await openContainerKeys(vectorKeys.container),
  sessionTokens: await openSessionTokens({ privatePem: null, publicPem: vectorKeys.sessionTokenPublic }),
  nowMs: () => Date.now(),
})
const open = async (file: string) =>
  reader.open(new Uint8Array(await readFile(path.join(vectorFolder, file))))

describe('test vectors of containers', () => {
  it('every container is listed', async () => {
    const files = (await readdir(vectorFolder)).filter((name) => name.endsWith('.bin'))
    expect(files.toSorted()).toEqual(vectors.map(({ file }) => file).toSorted())
  })

  it.each(vectors.filter(({ opens }) => opens))('$file opens: $says', async ({ file, opens }) => {
    const { payload, media, sessions, isExpired } = await open(file)
    const [{ evidence, session }] = media as [(typeof media)[0]]
    expect(isExpired).toBe(false)
    expect({
      payload,
      media: media.map(({ name, tags, bytes }) => ({
        name,
        tags,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      })),
      company_id: sessions[0]!.companyId,
      ...(evidence ? { evidence, challenge: readChallenge(session.challenge) } : {}),
    }).toEqual(opens)
  })

  it.each(vectors.filter(({ code }) => code))(
    '$file is refused with $code: $says',
    async ({ file, code }) => {
      const outcome = await open(file).then(
        // The reader leaves it to its caller to refuse expired ones.
        ({ isExpired }) => (isExpired ? new AppError('container_unreadable') : null),
        (error) => error as AppError,
      )
      expect(outcome && errorAnswer(outcome).code).toBe(code)
    },
  )
})
