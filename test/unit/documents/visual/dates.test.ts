import { describe, expect, it } from 'vitest'
import { findDateFault, findDates, limitYears } from '../../../../src/documents/visual/dates.ts'

const valuesIn = (text: string, order?: 'month-first') =>
  findDates(text, order).map(({ values }) => [...values].sort())

describe('printed dates', () => {
  it.each([
    ['12 JAN 1990', '1990-01-12'],
    ['12JAN1990', '1990-01-12'],
    ['12 JAN/JAN 1990', '1990-01-12'],
    ['16 APR/AVR 2007', '2007-04-16'],
    ['1 août 2001', '2001-08-01'],
    ['12.01.1990', '1990-01-12'],
    ['12 01 1990', '1990-01-12'],
    ['1990-01-12', '1990-01-12'],
    ['1990/01/12', '1990-01-12'],
    ['25/12/1990', '1990-12-25'],
    ['12/25/1990', '1990-12-25'],
    ['05/05/1990', '1990-05-05'],
    ['JAN 12 1990', '1990-01-12'],
    ['January 12, 1990', '1990-01-12'],
    ['29.02.2000', '2000-02-29'],
    ['01 01 9999', '9999-01-01'],
    ['03 мая 1999', '1999-05-03'],
    ['21 MÄR 2015', '2015-03-21'],
    ['15 MAR/MARS 2015', '2015-03-15'],
    ['15 de marzo de 2015', '2015-03-15'],
    ['15 DE MARÇO DE 2015', '2015-03-15'],
    ['15 marzo del 2015', '2015-03-15'],
  ])('reads %s', (text, value) => {
    expect(valuesIn(text)).toEqual([[value]])
  })

  it('keeps both orders of day and month, and both centuries', () => {
    expect(valuesIn('12/01/1990')).toEqual([['1990-01-12', '1990-12-01']])
    expect(valuesIn('12/01/1990', 'month-first')).toEqual([['1990-12-01']])
    expect(valuesIn('12 JAN 90')).toEqual([['1990-01-12', '2090-01-12']])
    expect(valuesIn('12/01/90')[0]).toHaveLength(4)
  })

  it('reads no impossible dates, and no numbers', () => {
    for (const text of [
      '31.02.1990',
      '12.13.1990',
      '00.01.1990',
      '12 XYZ 1990',
      'AB123456',
      '1234567890',
      '12 JAN/FEB 1990',
      '',
    ])
      expect(valuesIn(text)).toEqual([])
  })

  it.each([
    '85/03/1915',
    '32/05/2014',
    '31.02.1990',
    '13-25-1990',
    '2014-13-40',
    '31 FEB 1990',
    ...['31 FEB 74', '31FEB/FEV74', '29 FEB 73', 'FEB 31 1974', 'FEB 31, 1974', '30 de febrero de 1974'],
    ...['31.02.1974 ZENITH', '1974.02.31.', 'ZENITH 31 FEB 1974', '30 DE FEVEREIRO DE 1974'],
  ])('knows that %s cannot be a date', (text) => expect(findDateFault(text)).toBe('impossible'))

  it.each(['00.00.1950', '00.01.1990', '00 JAN 50', '00.00.1950 KABUL', '1950-00-00'])(
    'knows that nobody knows the day of %s',
    (text) => expect(findDateFault(text)).toBe('unknown'),
  )

  it.each([
    ...['12.08.1974', '12.13.1990', '2014-12-31', '29 FEB 2000'],
    // Years of other calendars, numbers, and what may be read in several ways.
    ...['32/05/2557', '1420/13/32', '85.03.15', '31/02/74', '12345678', '12 XYZ 1990', '12 JAN/FEB 1990', ''],
    ...['REG 45/99/2014', '45/99/2014-7', '29 FEB 72', '31 FEB 2557', '31 FEB 1974 12 AUG 1974'],
    // Streets.
    ...['75 MARNE 94', '98 MARKT 12', 'FLAT 40 MARKET 10', '41 MAIDSTONE 1912 KENT'],
  ])('does not say that %s cannot be a date', (text) => expect(findDateFault(text)).toBeNull())

  it('finds several dates of a line', () => {
    expect(valuesIn('01.02.2020 - 31.01.2030')).toEqual([['2020-02-01'], ['2030-01-31']])
  })

  it('limits years', () => {
    expect(limitYears(['2074-08-12', '1974-08-12'], 'birth', '2026-11-23')).toEqual(['1974-08-12'])
    expect(limitYears(['2012-08-12', '1912-08-12'], 'birth', '2026-11-23')).toEqual(['2012-08-12'])
    expect(limitYears(['2012-08-12', '1912-08-12'], 'birth')).toHaveLength(2)
    expect(limitYears(['2062-08-12'], 'birth', '2026-11-23')).toEqual(['2062-08-12'])
    expect(limitYears(['2012-08-12', '1912-08-12'], 'expiry')).toEqual(['2012-08-12'])
    // Cards of the old are valid for 60 years.
    expect(limitYears(['2086-01-01', '1986-01-01'], 'expiry', '2026-11-23')).toHaveLength(2)
    expect(limitYears(['2085-08-12', '1985-08-12'], 'issue', '2026-11-23')).toEqual(['1985-08-12'])
    expect(limitYears(['2027-01-01', '1927-01-01'], 'issue', '2026-11-23')).toEqual(['2027-01-01'])
    expect(limitYears(['1912-08-12'], 'issue', '2026-11-23')).toEqual(['1912-08-12'])
  })
})
