import { expect, it } from 'vitest'
import { startStopwatch } from '../../../src/assess/assessor-deps.ts'

it('adds up the stages, and counts a part of one as a stage of its own', async () => {
  let ms = 0
  const pass = (duration: number) => {
    ms += duration
  }
  const watch = startStopwatch(() => ms)
  await watch.stage('decode', () => pass(1))
  await watch.stage('quality', async () => {
    pass(2)
    const pick = () => {
      pass(10)
      return 'pixels'
    }
    expect(watch.innerStage('decode', pick)).toBe('pixels')
    await Promise.resolve()
    pass(4)
  })
  await watch.stage('quality', () => pass(100))
  expect(watch.stageMs).toEqual({ decode: 11, quality: 106 })
})

it('also measures what fails', async () => {
  let ms = 0
  const watch = startStopwatch(() => ms)
  const fail = () => {
    ms += 3
    throw new TypeError('no')
  }
  await expect(watch.stage('pad', () => watch.innerStage('decode', fail))).rejects.toThrow('no')
  expect(watch.stageMs).toEqual({ decode: 3, pad: 0 })
})
