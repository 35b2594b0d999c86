import { expect, it } from 'vitest'
import type { DetectedFace } from '../../../src/vision/face.ts'
import type { Box } from '../../../src/vision/geometry.ts'
import { countFound, countOneFaces } from '../../../tools/accuracy/detect-report.ts'
import { readDlibList, readPoints, type TrueFace } from '../../../tools/accuracy/face-truth.ts'

const origin = { x: 0, y: 0 }
const box = (x: number, side = 20): Box => ({ x, y: 0, width: side, height: side })
const found = (place: Box, confidence = 0.9): DetectedFace => ({
  box: place,
  confidence,
  keypoints: { rightEye: origin, leftEye: origin, nose: origin, mouth: origin },
})
const marked = (x: number): TrueFace => ({ box: box(x), centre: { x: x + 10, y: 6 } })
const nothing = { overlapping: 0, centred: 0, falseAlarms: 0, duplicates: 0 }

it('pairs boxes with marked faces', () => {
  expect(countFound([found(box(2)), found(box(50))], [marked(0), marked(50)])).toEqual({
    ...nothing,
    faces: 2,
    overlapping: 2,
    centred: 2,
  })
})

it('tells faces found twice from boxes on no face', () => {
  const counts = countFound([found(box(0)), found(box(4), 0.6), found(box(200))], [marked(0)])
  expect(counts).toEqual({ faces: 1, overlapping: 1, centred: 1, falseAlarms: 1, duplicates: 1 })
})

it('takes a box of another kind by the eyes in it, but no box of another size', () => {
  expect(countFound([found(box(-6, 34))], [marked(0)])).toMatchObject({ overlapping: 0, centred: 1 })
  expect(countFound([found(box(-40, 100))], [marked(0)])).toMatchObject({ centred: 0, falseAlarms: 1 })
})

it('counts portraits', () => {
  const good = { isFound: true, isAligned: true, hasSecondSubject: false }
  expect(countOneFaces([good, { ...good, isAligned: false }, { ...good, hasSecondSubject: true }])).toEqual({
    pictures: 3,
    missed: 0,
    notAligned: 1,
    rivals: 1,
  })
})

it('reads boxes and landmarks of dlib', () => {
  const parts = Array.from({ length: 68 }, (_, i) => `<part name='${i}' x='${i < 42 ? 10 : 30}' y='7'/>`)
  const text = `<image file='a.jpg'><box top='1' left='2' width='30' height='40'/></image>
    <image file='b.jpg' width='9'><box top='5' left='6' width='7' height='8'>${parts.join('')}</box></image>`
  const pictures = readDlibList(text)
  expect(pictures.get('a.jpg')).toEqual([
    { box: { x: 2, y: 1, width: 30, height: 40 }, centre: { x: 17, y: 21 } },
  ])
  expect(pictures.get('b.jpg')).toMatchObject([{ centre: { x: 20, y: 7 } }])
})

it('reads points', () => {
  expect(readPoints('version: 1\nn_points: 2\n{\n10.5 20\n30.5 60\n}\n')).toEqual({
    box: { x: 10.5, y: 20, width: 20, height: 40 },
    centre: { x: 20.5, y: 40 },
  })
})
