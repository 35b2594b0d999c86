import { describe, expect, it } from 'vitest'
import type { FoundFace } from '../../../client/capture/finder-messages.ts'
import {
  type Advice,
  advise,
  detailSide,
  guidanceHeight,
  guidanceWidth,
  type Look,
} from '../../../client/capture/guidance.ts'
import type { Picture } from '../../../client/capture/picture.ts'

type Colour = readonly [number, number, number]
type Draw = (x: number, y: number) => Colour

const draw = (width: number, height: number, colour: Draw): Picture => {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set([...colour(x / width, y / height), 255], (y * width + x) * 4)
  return { width, height, data }
}

const grey = (value: number): Colour => [value, value, value]
/** Detail of the size of skin and hair. */
const fine: Draw = (x, y) => grey(120 + 40 * Math.sin(x * 290) * Math.cos(y * 270))
const coarse: Draw = (x, y) => grey(128 + 110 * Math.sin(x * 9) * Math.cos(y * 8))

const lookAt = (whole: Draw, detail: Draw = fine): Look => ({
  whole: draw(guidanceWidth, guidanceHeight, whole),
  detail: draw(detailSide, detailSide, detail),
})

const wall: Colour = [96, 120, 150]

interface Head {
  x?: number
  /** Share of the stage's width. */
  width?: number
  skin?: Colour
  /** Places of the eyes from the middle of the face, in shares of its half width. */
  eyes?: readonly [number, number]
}

/** A head before a wall: an oval of one colour with two dark eyes. */
const head =
  ({ x: middle = 0.5, width = 0.54, skin = [205, 160, 135], eyes = [-0.4, 0.4] }: Head = {}): Draw =>
  (x, y) => {
    const u = (x - middle) / (width / 2)
    const v = (y - 0.465) / (width / 2)
    if (u * u + v * v > 1) return wall
    const isEye = eyes.some((eye) => Math.hypot(u - eye, (v + 0.3) * 1.4) < 0.14)
    return isEye ? [30, 24, 22] : skin
  }

describe('advice before a capture', () => {
  it('asks for light first', () => {
    expect(
      advise(
        lookAt(() => grey(20)),
        null,
      ),
    ).toBe('dark')
    expect(
      advise(
        lookAt(() => grey(240)),
        null,
      ),
    ).toBe('bright')
    const before: Draw = (x, y) => (head()(x, y) === wall ? grey(235) : grey(70))
    expect(advise(lookAt(before), null)).toBe('backlight')
    expect(advise(lookAt(before), null, { outline: 'document' })).toBe('good')
  })

  const heads: [string, Head, Advice][] = [
    ['a face that fills the oval', {}, 'good'],
    ['a face of dark skin', { skin: [88, 60, 48] }, 'good'],
    ['a face of light skin', { skin: [235, 205, 190] }, 'good'],
    ['a face far away', { width: 0.3 }, 'closer'],
    ['a face with some room around it', { width: 0.6 }, 'good'],
    ['a face that fills the picture', { width: 0.7 }, 'farther'],
    ['a face very near', { width: 0.98 }, 'farther'],
    ['a face beside the oval', { x: 0.69 }, 'centre'],
    ['a face that looks to one side', { eyes: [0.25, 0.8] }, 'straight'],
    ['a face that looks to the other side', { eyes: [-0.8, -0.25] }, 'straight'],
  ]
  it.each(heads)('on %s', (_, shape, advice) => {
    expect(advise(lookAt(head(shape)), null)).toBe(advice)
  })

  const seen = { x: 0.5, y: 0.465, width: 0.6, turn: 0, nod: 0.6 }
  const faces: [string, FoundFace | null | undefined, number | null, Advice][] = [
    ['a face that fills the oval', seen, null, 'good'],
    ['no face, whatever the colours are', null, null, 'centre'],
    ['the colours alone while the finder loads', undefined, null, 'good'],
    ['a face that is far away', { ...seen, width: 0.3 }, null, 'closer'],
    ['a face that is as far away as it should be', { ...seen, width: 0.32 }, 0.3, 'good'],
    ['a face that should be farther away', seen, 0.3, 'farther'],
    ['a face below the oval', { ...seen, y: 0.7 }, null, 'centre'],
    ['a face that looks to one side', { ...seen, turn: -0.6 }, null, 'straight'],
  ]
  it.each(faces)('follows the face finder: %s', (_, face, width, advice) => {
    expect(advise(lookAt(head()), null, { outline: 'face', face, width })).toBe(advice)
  })

  it('says nothing about place where the wall has the colours of the face', () => {
    expect(
      advise(
        lookAt(() => [205, 160, 135]),
        null,
      ),
    ).toBe('good')
  })

  it('asks to hold still while the picture changes', () => {
    const before = lookAt(head({ x: 0.46 }))
    expect(advise(lookAt(head({ x: 0.56 })), before)).toBe('still')
    expect(advise(lookAt(head({ x: 0.46 })), before)).toBe('good')
  })

  it('tells a blurred picture from a sharp one', () => {
    expect(advise(lookAt(head(), coarse), null)).toBe('blurry')
    expect(advise(lookAt(head(), fine), null)).toBe('good')
    expect(
      advise(
        lookAt(() => grey(120), coarse),
        null,
        { outline: 'document' },
      ),
    ).toBe('blurry')
  })
})
