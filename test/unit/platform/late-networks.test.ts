import { expect, it } from 'vitest'
import type { Engine } from '../../../src/inference/engine.ts'
import { collectBetweenRuns } from '../../../src/platform/late-networks.ts'

const megabyte = { data: new Float32Array(2 ** 18), shape: [1, 1, 512, 512] }
const engine: Engine = { run: async () => ({ a: megabyte, b: megabyte }) }

it('collects garbage after each 16 MB of inputs and outputs', async () => {
  let collections = 0
  const collecting = collectBetweenRuns(engine, () => collections++)
  for (let run = 0; run < 5; run++) await collecting.run('a', megabyte)
  expect(collections).toBe(0)
  expect(await collecting.run('a', megabyte)).toEqual({ a: megabyte, b: megabyte })
  expect(collections).toBe(1)
  for (let run = 0; run < 6; run++) await collecting.run('a', megabyte)
  expect(collections).toBe(2)
})

it('runs networks where garbage cannot be collected', async () => {
  const collecting = collectBetweenRuns(engine, null)
  for (let run = 0; run < 6; run++) await collecting.run('a', megabyte)
})
