import { describe, expect, it } from 'vitest'
import { printZone } from '../../../../scripts/pages/printed-zones.ts'
import type { RgbaImage } from '../../../../src/media/rgba-image.ts'
import { darkShare, findTextLines, printShare } from '../../../../src/vision/document/find-text-lines.ts'
import { toGrey } from '../../../../src/vision/document/grey-picture.ts'
import { traceLine } from '../../../../src/vision/document/trace-line.ts'
import { toPyramid } from '../../../fixtures/codecs.ts'

const lines = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10']
const pitch = 11
const picture = (turn: number) => printZone(lines, { width: 640, height: 640, pitch, turn })

describe('lines of print', () => {
  it.each([0, 17, 90, 133, 200])('are found at a turn of %d degrees', (turn) => {
    const [first, second] = findTextLines(toGrey(picture(turn)))
    const angle = (turn * Math.PI) / 180
    for (const run of [first!, second!]) {
      expect(Math.abs(run.dx * Math.sin(angle) - run.dy * Math.cos(angle))).toBeLessThan(0.03)
      expect(run.length).toBeGreaterThan(0.85 * 44 * pitch)
      expect(run.length).toBeLessThan(1.1 * 44 * pitch)
    }
    const apart = Math.abs(
      (second!.y - first!.y) * Math.cos(angle) - (second!.x - first!.x) * Math.sin(angle),
    )
    expect(Math.abs(apart - 2.4 * pitch)).toBeLessThan(0.25 * pitch)
  })

  it('are found among security print if only what is much darker counts', () => {
    const [width, height] = [640, 300]
    const data = new Uint8ClampedArray(width * height * 4)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const wave = Math.sin(((x + 40 * Math.sin(y / 50) + 30 * Math.cos(x / 80)) * 2 * Math.PI) / 9)
        const shade = Math.abs(wave) < 0.25 ? 150 : 226
        data.set([shade, shade, shade + 8, 255], (y * width + x) * 4)
      }
    const paper: RgbaImage = { width, height, data }
    const grey = toGrey(printZone(lines, { width, height, pitch }, paper))
    const found = (share: number) =>
      findTextLines(grey, share).filter(
        ({ dy, length, y }) =>
          Math.abs(dy) < 0.03 && length > 0.85 * 44 * pitch && Math.abs(y - 150) < 2.4 * pitch,
      ).length
    expect([found(printShare), found(darkShare)]).toEqual([0, 2])
  })

  it('are not found on blank paper', () => {
    expect(findTextLines(toGrey(printZone([''], { width: 320, pitch })))).toEqual([])
  })

  it('are followed from end to end, with the height of their capital letters', () => {
    const pyramid = toPyramid(picture(20))
    const [run] = findTextLines(toGrey(pyramid.image))
    const traced = traceLine(pyramid, { ...run!, isMirrored: false })!
    expect(Math.abs(traced.to - traced.from - 43.8 * pitch)).toBeLessThan(1.2 * pitch)
    expect(traced.cap).toBeGreaterThan(0.75 * pitch)
    expect(traced.cap).toBeLessThan(1.4 * pitch)
  })
})
