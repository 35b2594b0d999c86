/** Checks that the client tests ran on the storage in their name, and that an upload is returned byte for byte. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, expect, inject, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { startServer, testedRuntime } from '../fixtures/server.ts'
import { client, newClient, signIn, tokenHeader } from './stage.ts'
import { exchange, filePart, formOf, pathOf } from './wire.ts'

client('an upload', () => {
  const storage = inject('storage')
  let token: string
  let folderId: string
  let link: string
  let photo: Uint8Array
  let names: string[]

  beforeAll(async () => {
    photo = await portrait('smiling', 98)
    token = await signIn(await newClient('Storage'))
    const { headers, body } = formOf([filePart('a', 'a.jpg', photo)], 'x')
    const sent = { headers: { ...headers, ...tokenHeader(token) }, body }
    const { json } = await exchange('POST', '/api/folders/', sent)
    folderId = json.folder_id
    link = pathOf(json.media[0].original_url)
    names = await readdir(inject('dataDir'), { recursive: true })
  })

  const load = async (place: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${inject('url')}${place}`, { headers })
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  const isEdge = testedRuntime === 'workers'

  it('files are stored on disk unless there is a bucket', () => {
    const fileName = link.split('/').at(-1)!
    expect(names.some((name) => name.endsWith(fileName))).toBe(storage !== 's3' && !isEdge)
  })

  it('rows are stored on disk unless there is a database server', () => {
    expect(names.includes('vivace.db')).toBe(storage !== 'remote' && !isEdge)
  })

  it('an upload is returned byte for byte, whole and in ranges', async () => {
    const whole = await load(link)
    expect([whole.status, whole.bytes.equals(photo)]).toEqual([200, true])
    const part = await load(link, { Range: 'bytes=1000-2999' })
    expect([part.status, part.bytes.equals(photo.subarray(1000, 3000))]).toEqual([206, true])
  })

  it('an upload is in the artifacts byte for byte', async () => {
    const { status, bytes } = await load(`/api/folders/${folderId}/artifacts`, tokenHeader(token))
    expect(status).toBe(200)
    expect(bytes.includes(Buffer.from(photo))).toBe(true)
  })

  it.skipIf(storage !== 'remote')(
    'is known to a second server, where there is a database server',
    async () => {
      const dataDir = await mkdtemp(path.join(tmpdir(), 'vivace-second-'))
      const second = await startServer({ DATA_DIR: dataDir, ...inject('storageEnvironment') })
      try {
        const response = await fetch(`${second.url}/api/folders/${folderId}`, { headers: tokenHeader(token) })
        expect(await response.json()).toMatchObject({ folder_id: folderId, resolution_status: 'INITIAL' })
      } finally {
        await second.stop()
        await rm(dataDir, { recursive: true, force: true })
      }
    },
  )
})
