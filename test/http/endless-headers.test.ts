/** Files whose headers never end leave the event loop to others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crowdLoopHeldMaxMs, loopHeldMaxMs } from '../../tools/soak/hostile/limits.ts'
import { loopHeldMs, loopWatch } from '../../tools/soak/hostile/loop-held.ts'
import { endlessHeaders } from '../fixtures/endless-headers.ts'
import { startServer, type TestServer, testedRuntime } from '../fixtures/server.ts'
import { postBytes } from './client.ts'

const refusal = [400, 'BPE-002003']

async function detect({ url }: TestServer, body: Uint8Array): Promise<unknown[]> {
  const { status, json } = await postBytes('/v1/face/liveness/detect', body, 'image/jpeg', {}, url)
  return [status, json.code]
}

const files = Object.entries(endlessHeaders).flatMap(([format, units]) =>
  Object.entries(units).map(([unit, make]) => [format, unit, make] as const),
)

/** For how long a call holds the loop: the least of three, as one that is really held is held each time, and others use this machine. */
async function leastHeldMs(server: TestServer, call: () => Promise<void>): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3 && leastMs >= loopHeldMaxMs; i++) {
    await loopHeldMs(server)
    await call()
    leastMs = Math.min(leastMs, (await loopHeldMs(server)) ?? 0)
  }
  return leastMs
}

// Workers have no threads.
describe.skipIf(testedRuntime === 'workers')('files whose headers never end', { timeout: 300_000 }, () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ ASSESS_WORKERS: '1', ...(testedRuntime === 'node' ? loopWatch : {}) })
  }, 300_000)
  afterAll(() => server.stop())

  it('of four formats at once are refused, and hold the loop no longer than other large bodies', async () => {
    const { jpeg, png, webp, avif } = endlessHeaders
    const makers = [jpeg['empty comments']!, png['empty texts']!, webp['empty chunks']!, avif.properties!]
    const bodies = makers.map((make) => make())
    await loopHeldMs(server)
    const answers = await Promise.all(bodies.map((body) => detect(server, body)))
    const heldMs = await loopHeldMs(server)
    expect(answers).toEqual(bodies.map(() => refusal))
    // 240 to 1500 ms for each were measured when all of a header was read there.
    expect(heldMs ?? 0).toBeLessThan(crowdLoopHeldMaxMs)
  })

  it.each(files)(
    'are refused, and hold the loop no longer than one call may: %s of %s',
    async (format, _, make) => {
      // A third of a file has no end either; archives are read from theirs.
      const bytes = make().subarray(0, format === 'zip' ? undefined : 2 ** 23)
      const heldMs = await leastHeldMs(server, async () => {
        expect(await detect(server, bytes)).toEqual(refusal)
      })
      expect(heldMs).toBeLessThan(loopHeldMaxMs)
    },
  )
})
