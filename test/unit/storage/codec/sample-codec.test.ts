import { expect, it } from 'vitest'
import { decodeSample, encodeSample } from '../../../../src/storage/codec/sample-codec.ts'
import { goodQuality } from '../../../fixtures/assessments.ts'

it('a sample is a short list that begins with its version', () => {
  expect(encodeSample({ faces: 0, quarterTurns: 3, quality: null })).toBe('[1,0,3,null,null,null]')
  const eyes = { right: { x: 0.4, y: 0.45 }, left: { x: 0.6, y: 0.5 } }
  const sample = { faces: 2, quarterTurns: 0, quality: goodQuality, eyes }
  expect(decodeSample(encodeSample(sample))).toEqual(sample)
})

it('a sample of an earlier release has no places of eyes', () => {
  expect(decodeSample('[1,0,3,null,null]')).toEqual({ faces: 0, quarterTurns: 3, quality: null })
})

it('a sample whose quality lacks a measure is damaged', () => {
  const text = encodeSample({ faces: 1, quarterTurns: 0, quality: goodQuality })
  expect(() => decodeSample(text.replace(/,\[[^,]+/, ',[null'))).toThrow()
})

it.each([
  '',
  '[]',
  '[2,0,3,null,null]',
  '[1,0,3,[1,2],null]',
  '[1,0,3,null,{}]',
  '[1,0,3,null,null,[1]]',
  '{}',
  '[1,0,3,[0.25,',
])('a damaged sample is refused, without its values: %s', (text) => {
  expect(() => decodeSample(text)).toThrow(/^invariant: a stored sample has the form of this release$/)
})
