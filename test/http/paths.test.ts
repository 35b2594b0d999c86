/** Paths that clients put together wrongly. */
import { describe, expect, it } from 'vitest'
import { send } from './client.ts'

const instant = '/api/instant/folders/'

describe('a path', () => {
  it.each(['/api/version//', '/api//version', '//api/version', `${instant}/`, '/v1/face//liveness/detect'])(
    '%s with two slashes in a row does not exist, whatever the method',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const { status, json } = await send(path, { method })
        expect(status).toBe(404)
        expect(json.error_message ?? json.message).toBe('There is no such path: it has two slashes in a row')
      }
    },
  )

  it('with one slash at its end does', async () => {
    for (const path of ['/api/version', '/api/version/']) expect((await send(path)).status).toBe(200)
    expect((await send('/api/version/', { method: 'PUT' })).status).toBe(405)
  })
})
