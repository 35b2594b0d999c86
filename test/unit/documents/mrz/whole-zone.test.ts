import { describe, expect, it } from 'vitest'
import { isWholeZone } from '../../../../src/documents/mrz/whole-zone.ts'
import { cardZone, passportZone } from '../../../fixtures/document-readings.ts'
import { readText } from '../../../fixtures/mrz.ts'

describe('a zone', () => {
  it('is whole with all of its characters, or with one that is lost', () => {
    expect(isWholeZone(readText(...passportZone))).toBe(true)
    expect(isWholeZone(readText(...cardZone))).toBe(true)
    expect(isWholeZone(readText(...cardZone.map((line) => line.slice(1))))).toBe(true)
  })

  it('is not whole if a part of a line or a line is missing', () => {
    expect(isWholeZone(readText(...passportZone.map((line) => line.slice(16))))).toBe(false)
    expect(isWholeZone(readText(passportZone[0], passportZone[1].slice(20)))).toBe(false)
    expect(isWholeZone(readText(...cardZone.slice(1)))).toBe(false)
    expect(isWholeZone(readText(cardZone[0]))).toBe(false)
  })
})
