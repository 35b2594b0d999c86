import { describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../../client/call.ts'
import { NetworkError, TimeoutError } from '../../../client/errors.ts'
import { listAll, waitForFolder } from '../../../client/folders.ts'
import { pauseBefore } from '../../../client/retry.ts'

const callsMax = 20

/** A server that has five folders, or always the same answer, and fails after twenty calls: the loop had no end. */
function makeServer(same?: object): { client: Client; calls: URL[] } {
  const calls: URL[] = []
  const client = createClient({
    url: 'http://a.test',
    retry: { attempts: 0 },
    fetch: async (address) => {
      const url = new URL(address)
      if (calls.push(url) > callsMax) throw new RangeError('too many calls')
      const [offset, limit] = ['offset', 'limit'].map((name) => Number(url.searchParams.get(name))) as [
        number,
        number,
      ]
      const items = [0, 1, 2, 3, 4].slice(offset, offset + limit).map((id) => ({ folder_id: `${id}` }))
      return Response.json(same ?? { items })
    },
  })
  return { client, calls }
}

async function readIds(client: Client, limit?: number): Promise<string[]> {
  const ids: string[] = []
  for await (const { folder_id } of listAll(client, 'GET /api/folders', limit === undefined ? {} : { limit }))
    ids.push(folder_id)
  return ids
}

describe('a list that is read to its end', () => {
  it.each([[1], [2], [5], [100], [undefined]])('in pages of %s items has each once', async (limit) => {
    const { client } = makeServer()
    expect(await readIds(client, limit)).toEqual(['0', '1', '2', '3', '4'])
  })

  it.each([0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'is not asked for in pages of %s items, which would have no end',
    async (limit) => {
      const { client, calls } = makeServer()
      await expect(readIds(client, limit)).rejects.toThrow(
        new TypeError('limit must be a whole number from 1'),
      )
      expect(calls).toEqual([])
    },
  )
})

describe('times and numbers that are none', () => {
  const running = { resolution_status: 'PROCESSING', system_resolution: 'PROCESSING' }

  it.each([{ timeoutMs: Number.NaN }, { intervalMs: Number.NaN }])(
    '%o end the wait for a folder',
    async (options) => {
      const { client, calls } = makeServer(running)
      await expect(waitForFolder(client, 'f', options)).rejects.toBeInstanceOf(TimeoutError)
      expect(calls).toHaveLength(1)
    },
  )

  it('end the attempts of a call', () => {
    const busy = { attempts: Number.NaN, pauseMaxMs: 1000 }
    expect(pauseBefore(1, 'GET', new NetworkError('broken'), busy)).toBeNull()
  })
})
