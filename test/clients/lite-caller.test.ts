/** A script that asks the Lite service about each picture, whatever its kind, and reads one member of the answer. */
import { beforeAll, expect, it } from 'vitest'
import { ramp, writePng } from '../fixtures/pictures.ts'
import { portraitImage } from '../fixtures/portraits.ts'
import { client } from './stage.ts'
import { type Answer, exchange } from './wire.ts'

client('the Lite caller', () => {
  let face: Uint8Array
  let scenery: Uint8Array

  beforeAll(async () => {
    face = writePng(await portraitImage('redhead'), 'rgb8')
    scenery = writePng(ramp(320, 240), 'rgb8')
  })

  /** The bytes of a PNG, called JPEG. */
  const detect = (body: Uint8Array): Promise<Answer> =>
    exchange('POST', '/v1/face/liveness/detect', { headers: { 'Content-Type': 'image/jpeg' }, body })

  it('the Lite caller reads whether a PNG that it calls JPEG has passed', async () => {
    const { status, json } = await detect(face)
    expect([status, json]).toEqual([200, { passed: true, score: expect.any(Number) }])
  })

  it('the Lite caller finds an object without a verdict if there is no face', async () => {
    const { status, json } = await detect(scenery)
    expect([status, json.code]).toEqual([400, 'BPE-003002'])
    expect(json).not.toHaveProperty('passed')
  })
})
