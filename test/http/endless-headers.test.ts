/** Files whose headers never end leave the event loop to others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crowdLoopHeldMaxMs } from '../../tools/soak/hostile/limits.ts'
import { loopHeldMs, loopWatch } from '../../tools/soak/hostile/loop-held.ts'
import { endlessHeaders } from '../fixtures/endless-headers.ts'
import { startServer, type TestServer, testedRuntime } from '../fixtures/server.ts'
import { postBytes } from './client.ts'

const detect = '/v1/face/liveness/detect'

// Workers have no threads.
describe.skipIf(testedRuntime === 'workers')('pictures whose headers never end', { timeout: 300_000 }, () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ ASSESS_WORKERS: '1', ...(testedRuntime === 'node' ? loopWatch : {}) })
  }, 300_000)
  afterAll(() => server.stop())

  it.each([
    ['JPEG', endlessHeaders.jpeg['empty comments']!],
    ['PNG', endlessHeaders.png['empty texts']!],
    ['WebP', endlessHeaders.webp['empty chunks']!],
    ['AVIF', endlessHeaders.avif.properties!],
  ])(
    'are refused, four at once, and hold the loop no longer than other large bodies: %s',
    async (_, make) => {
      const bytes = make()
      await loopHeldMs(server)
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => postBytes(detect, bytes, 'image/jpeg', {}, server.url)),
      )
      const heldMs = await loopHeldMs(server)
      expect(answers.map(({ status, json }) => [status, json.code])).toEqual(
        Array(4).fill([400, 'BPE-002003']),
      )
      // 240 to 1500 ms for each were measured when all of a header was read there.
      expect(heldMs ?? 0).toBeLessThan(crowdLoopHeldMaxMs)
    },
  )
})
