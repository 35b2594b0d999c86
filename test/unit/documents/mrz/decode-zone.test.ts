import { describe, expect, it } from 'vitest'
import { checkDigit } from '../../../../src/documents/mrz/check-digit.ts'
import { decodeZone } from '../../../../src/documents/mrz/decode-zone.ts'
import { doubtful, readText, sure, withCharacter } from '../../../fixtures/mrz.ts'
import { hasTestData, testData } from '../../../fixtures/test-data.ts'

/** Specimens that ICAO Doc 9303 prints, and national ones. */
const specimens = {
  'TD1 of Doc 9303-5': [
    'I<UTOD231458907<<<<<<<<<<<<<<<',
    '7408122F1204159UTO<<<<<<<<<<<6',
    'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
  ],
  'TD1 with a long number': [
    'I<UTOD23145890<1233<<<<<<<<<<<',
    '7408122F1204159UTO<<<<<<<<<<<2',
    'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
  ],
  'TD2 of Doc 9303-6': ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'],
  'TD3 of Doc 9303-4': [
    'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
    'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
  ],
  'MRV-A of Doc 9303-7': [
    'V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
    'L8988901C4XXX4009078F96121096ZE184226B<<<<<<',
  ],
  'MRV-B of Doc 9303-7': ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'L8988901C4XXX4009078F9612109<<<<<<<<'],
  'FRA-DL': ['D1FRA13AA000026181231MARTIN<<9'],
  IDL: ['D1NLD15094962111659VW87Z78NB84'],
  'FRA-ID': ['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '9409923102854CORINNE<<<<<<<6512068F4'],
} as const

const formatOf = (name: string) => name.split(' ')[0]!

describe('check digits', () => {
  it('are those of the examples of Doc 9303', () => {
    expect(checkDigit('520727')).toBe(3)
    expect(checkDigit('AB2134<<<')).toBe(5)
    expect(checkDigit('D231458907<<<<<<<<<<<<<<<34071279507122<<<<<<<<<<<')).toBe(2)
    expect(checkDigit('ä')).toBeNull()
  })
})

describe('specimens', () => {
  it.each(Object.entries(specimens))('%s is read as printed', (name, lines) => {
    const decoded = decodeZone(readText(...lines))
    expect(decoded?.format).toBe(formatOf(name))
    expect(decoded?.lines).toEqual(lines)
    expect(decoded?.checks.filter(({ state }) => state !== 'valid')).toEqual([])
    expect(decoded).toMatchObject({ isProven: true, corrections: 0 })
    expect(decoded?.confidence).toBeGreaterThan(0.97)
  })

  /** What check digits cover: line, first column, and the column behind the last one. */
  const covered: Record<string, readonly (readonly [number, number, number])[]> = {
    TD1: [
      [0, 5, 30],
      [1, 0, 7],
      [1, 8, 15],
      [1, 18, 30],
    ],
    TD2: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 36],
    ],
    TD3: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 44],
    ],
    'MRV-A': [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 28],
    ],
    'MRV-B': [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 28],
    ],
    'FRA-DL': [[0, 5, 30]],
    IDL: [[0, 5, 30]],
    'FRA-ID': [
      [0, 5, 36],
      [1, 0, 36],
    ],
  }

  it.each(Object.entries(specimens))('%s: any single damaged character is found', (name, lines) => {
    const zone = readText(...lines)
    const missed: string[] = []
    for (const [line, start, end] of covered[formatOf(name)]!) {
      for (let column = start; column < end; column++) {
        const right = lines[line]![column]!
        for (const symbol of 'A8<1') {
          // Symbols whose values differ by ten or twenty have the same check digit, whatever the reader.
          if (checkDigit(right) === checkDigit(symbol)) continue
          const decoded = decodeZone(withCharacter(zone, line, column, sure(symbol)))
          const isFound = !decoded?.isProven || decoded.lines[line]![column] === right
          if (!isFound) missed.push(`${line} ${column} ${right} ${symbol}`)
        }
      }
    }
    expect(missed).toEqual([])
  })
})

describe('corrections', () => {
  const td3 = readText(...specimens['TD3 of Doc 9303-4'])

  it('take the less probable symbol where the check digit proves it', () => {
    const zone = withCharacter(td3, 1, 1, doubtful({ B: 0.6, '8': 0.35, '3': 0.05 }))
    const decoded = decodeZone(zone)
    expect(decoded?.lines[1]).toBe(specimens['TD3 of Doc 9303-4'][1])
    expect(decoded).toMatchObject({ isProven: true, corrections: 1 })
  })

  it('never override a clear reading: the document is wrong then', () => {
    const zone = withCharacter(td3, 1, 13, doubtful({ '8': 0.999, '7': 0.001 }))
    const decoded = decodeZone(zone)
    expect(decoded?.lines[1]?.slice(13, 19)).toBe('840812')
    expect(decoded?.checks).toContainEqual({ name: 'birthDate', state: 'invalid' })
    expect(decoded?.isProven).toBe(false)
  })

  it('leave a doubt open that the check digit does not decide', () => {
    // Both readings of the digits have the same check digit: 7·1 + 3·8 and 7·8 + 3·5 differ by a multiple of ten.
    let zone = withCharacter(td3, 1, 14, doubtful({ '4': 0.4, '5': 0.3, '9': 0.3 }))
    zone = withCharacter(zone, 1, 15, doubtful({ '0': 0.4, '7': 0.3, '1': 0.3 }))
    zone = withCharacter(zone, 1, 16, doubtful({ '8': 0.4, '1': 0.3, '9': 0.3 }))
    const decoded = decodeZone(zone)
    expect(decoded && decoded.confidence < 0.97).toBe(true)
  })

  it('take no look-alike where no check digit covers the character', () => {
    const decoded = decodeZone(withCharacter(td3, 0, 5, sure('3')))
    expect(decoded?.lines[0]?.slice(5, 13)).toBe('3RIKSSON')
    expect(decoded!.confidence).toBeLessThan(0.5)
  })

  it('take a symbol that the format allows before one that it excludes', () => {
    const decoded = decodeZone(withCharacter(td3, 0, 7, doubtful({ '1': 0.6, I: 0.39 })))
    expect(decoded?.lines[0]).toBe(specimens['TD3 of Doc 9303-4'][0])
    expect(decoded!.confidence).toBeGreaterThan(0.9)
  })
})

describe('lines that are too long or too short', () => {
  const [first, second] = specimens['TD3 of Doc 9303-4']

  it('are fitted where fillers at the end of names are missing or doubled', () => {
    expect(decodeZone(readText(first.slice(0, -2), second))?.lines).toEqual([first, second])
    expect(decodeZone(readText(`${first}<`, second))?.lines).toEqual([first, second])
  })

  it('leave a doubt about names: the missing character may be a letter', () => {
    const shorter = decodeZone(readText(first.replace('ERIKSSON', 'ERIKN'), second))
    expect(shorter?.lines[0]?.slice(5, 10)).toBe('ERIKN')
    expect(shorter!.confidence).toBeLessThan(0.2)
    const longer = decodeZone(readText(first.replace('ERIKSSON', 'ERIKSSSON'), second))
    expect(longer!.confidence).toBeLessThanOrEqual(0.5)
  })

  it('are fitted in other runs of fillers where all check digits prove it', () => {
    expect(decodeZone(readText(first, second.replace('<<<<<', '<<<<')))?.lines).toEqual([first, second])
    expect(decodeZone(readText(first, second.replace('<<<<<', '<<<<<<<')))?.lines).toEqual([first, second])
  })

  it('are no zone otherwise', () => {
    expect(decodeZone(readText(first, second.slice(0, -1)))).toBeNull()
    expect(decodeZone(readText(first, second.slice(1)))).toBeNull()
    expect(decodeZone(readText(first))).toBeNull()
    expect(decodeZone(readText('', ''))).toBeNull()
    expect(decodeZone(readText())).toBeNull()
  })
})

describe.skipIf(!hasTestData)('published test vectors', async () => {
  const table = hasTestData ? Buffer.from(await testData('documents', 'mrz_vectors.csv')).toString() : ''
  const rows = table
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .map(([format, line1, line2, line3, valid, failed, kind]) => ({
      ...{ format: format!, valid, failed: failed!, kind: kind! },
      lines: [line1!, line2!, line3!].filter((line) => line !== ''),
    }))
  const wireNames: Record<string, string> = {
    number: 'documentNumber',
    birth: 'birthDate',
    expiry: 'expiryDate',
    optional: 'personalNumber',
    composite: 'composite',
  }

  it('are all there', () => expect(rows).toHaveLength(65))

  it.each(rows)('$format $lines: $kind', ({ format, lines, valid, failed }) => {
    const decoded = decodeZone(readText(...lines))
    if (format === 'damaged') {
      expect(decoded).toBeNull()
      return
    }
    expect(decoded?.format).toBe({ 'CHE-driving-licence': 'CHE-DL', 'FRA-ID': 'FRA-ID' }[format] ?? format)
    if (valid === '1') expect(decoded).toMatchObject({ isProven: true, lines })
    if (valid === '0' && decoded!.isProven) {
      // Only digits that were read as letters are corrected.
      const back = decoded!.lines.map((line, index) =>
        [...line]
          .map((symbol, column) => {
            const read = lines[index]![column]!
            return read === symbol || (/[A-Z]/.test(read) && /[0-9]/.test(symbol)) ? read : '?'
          })
          .join(''),
      )
      expect(back).toEqual(lines)
    }
    if (valid === '0' && decoded!.corrections === 0) {
      const broken = decoded!.checks.filter(({ state }) => state !== 'valid').map(({ name }) => name)
      expect(broken.sort()).toEqual(
        failed
          .split(' ')
          .map((name) => wireNames[name])
          .sort(),
      )
    }
  })
})
