import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { AppEnv } from '../../../src/http/app-env.ts'
import { replyPieces } from '../../../src/http/reply.ts'
import { streamed } from '../../../src/http/streamed.ts'

const longText = 'x'.repeat(2 ** 20)

/** Answers with pieces of which the last one fails, and notes why an answer broke. */
function breakingApp(told: unknown[]) {
  const pieces = async function* () {
    yield longText
    yield longText
    throw new Error('the database did not answer')
  }
  return new Hono<AppEnv>()
    .use(async (c, next) => {
      c.set('answerBroke', (cause) => told.push(cause))
      await next()
    })
    .get('/', (c) => replyPieces(c, pieces()))
}

describe('an answer that is sent while it is written', () => {
  it('breaks off where its source fails, and says why', async () => {
    const told: unknown[] = []
    const answer = await breakingApp(told).request('/')
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow('the database did not answer')
    expect(told).toMatchObject([{ message: 'the database did not answer' }])
  })

  it('says nothing of a caller who leaves, also while more is being read', async () => {
    const told: unknown[] = []
    const { body } = await breakingApp(told).request('/')
    await body?.cancel()
    const slow = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })
    const app = new Hono<AppEnv>().get('/', (c) => {
      c.set('answerBroke', (cause) => told.push(cause))
      return c.body(streamed(c, slow))
    })
    const reader = (await app.request('/')).body!.getReader()
    const reading = reader.read()
    await reader.cancel()
    expect(await reading).toEqual({ done: true, value: undefined })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(told).toEqual([])
  })
})
