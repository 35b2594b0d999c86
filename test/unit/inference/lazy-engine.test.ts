import { expect, it } from 'vitest'
import type { Engine } from '../../../src/inference/engine.ts'
import { openLazyEngine } from '../../../src/inference/lazy-engine.ts'

const image = { data: new Float32Array(1), shape: [1, 1, 1, 1] }
const answering = (name: string): Engine => ({ run: async () => ({ [name]: image }) })

it('opens a network when it is first run, and once', async () => {
  const opened: string[] = []
  const engine = openLazyEngine(async (model) => {
    opened.push(model)
    return answering(model)
  })
  expect(opened).toEqual([])
  const answers = await Promise.all([engine.run('a', image), engine.run('a', image)])
  expect(answers.map((answer) => Object.keys(answer))).toEqual([['a'], ['a']])
  await engine.run('b', image)
  expect(opened).toEqual(['a', 'b'])
})

it('tries again after an opening that failed', async () => {
  let isBroken = true
  const engine = openLazyEngine(async (model) => {
    if (isBroken) throw new Error('no file')
    return answering(model)
  })
  await expect(engine.run('a', image)).rejects.toThrow('no file')
  isBroken = false
  expect(await engine.run('a', image)).toEqual({ a: image })
})
