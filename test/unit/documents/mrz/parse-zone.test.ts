import { describe, expect, it } from 'vitest'
import { listExpiryDates, resolveIssueMonth, resolvePastDate } from '../../../../src/documents/mrz/dates.ts'
import { parseZone } from '../../../../src/documents/mrz/parse-zone.ts'
import { makeCard, makePassport } from '../../../fixtures/made-up-zones.ts'
import { readText, sure, withCharacter } from '../../../fixtures/mrz.ts'

const today = '2026-06-15'

/** The values of the fields that are stated. */
function valuesOf(...lines: string[]) {
  const zone = parseZone(readText(...lines), today)
  return Object.fromEntries(
    Object.entries(zone?.fields ?? {}).flatMap(([name, field]) =>
      field.isStated ? [[name, field.value]] : [],
    ),
  )
}

describe('the fields of a zone', () => {
  it('of a passport', () => {
    expect(
      valuesOf(
        'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
        'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
      ),
    ).toEqual({
      ...{ documentCode: 'P', issuingState: 'UTO', surname: 'ERIKSSON', givenNames: 'ANNA MARIA' },
      ...{ documentNumber: 'L898902C3', nationality: 'UTO', birthDate: '1974-08-12', sex: 'F' },
      ...{ expiryDate: '2012-04-15', personalNumber: 'ZE184226B' },
    })
  })

  it('of a card with a long number and optional data', () => {
    expect(
      valuesOf(
        'IDBEL600001795<0152<<<<<<<<<<<',
        '1301014F2311207BEL130101987398',
        'SPECIMEN<<SPECIMEN<<<<<<<<<<<<',
      ),
    ).toMatchObject({ documentNumber: '600001795015', optionalData2: '13010198739', birthDate: '2013-01-01' })
  })

  it('of a German passport, a visa, a French card and a Swiss licence', () => {
    expect(
      valuesOf(
        'P<D<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<<<<<<<<<',
        'C01X0006H1D<<6408125F1710319<<<<<<<<<<<<<<<0',
      ),
    ).toMatchObject({ issuingState: 'D', nationality: 'D', surname: 'MUSTERMANN', birthDate: '1964-08-12' })
    expect(
      valuesOf('V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'L8988901C4XXX4009078F9612109<<<<<<<<'),
    ).toMatchObject({ nationality: 'XXX', birthDate: '1940-09-07', expiryDate: '1996-12-10' })
    expect(valuesOf('IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '9409923102854CORINNE<<<<<<<6512068F4')).toEqual({
      ...{ documentCode: 'ID', issuingState: 'FRA', surname: 'BERTHIER', givenNames: 'CORINNE' },
      ...{ documentNumber: '940992310285', issueMonth: '1994-09', birthDate: '1965-12-06', sex: 'F' },
    })
    expect(valuesOf('AAA001D<<', 'FACHE305142128097<<800126<<<<<', 'MARCHAND<<FABIENNE<<<<<<<<<<<<')).toEqual(
      {
        ...{
          documentNumber: 'AAA001D',
          documentCode: 'FA',
          issuingState: 'CHE',
          personalNumber: '305142128',
        },
        ...{ optionalData: '097', birthDate: '1980-01-26', surname: 'MARCHAND', givenNames: 'FABIENNE' },
      },
    )
  })

  it('of internal passports of Russia', () => {
    const lines = [
      'PNRUSZDRIL7K<<SERGEQ<ANATOL9EVI3<<<<<<<<<<<<',
      '3919353498RUS7207233M<<<<<<<4151218910003<50',
    ]
    expect(parseZone(readText(...lines), today)).toMatchObject({ format: 'RUS-PN', isProven: true })
    expect(valuesOf(...lines)).toEqual({
      ...{ documentCode: 'PN', issuingState: 'RUS', surname: 'ЗДРИЛЮК', givenNames: 'СЕРГЕЙ АНАТОЛЬЕВИЧ' },
      ...{ documentNumber: '3914935349', nationality: 'RUS', birthDate: '1972-07-23', sex: 'M' },
      ...{ issueDate: '2015-12-18', optionalData: '910003' },
    })
    // Each letter of the alphabet has one symbol; others are none of a name.
    const all = 'PNRUSABVGDE2JZIQKLMNOPRST<UFHC34WXY9678<<<<<'
    expect(valuesOf(all, lines[1]!).surname).toBe('АБВГДЕЁЖЗИЙКЛМНОПРСТ УФХЦЧШЩЪЫЬЭЮЯ')
    expect(valuesOf(all.replace('<UF', '1UF'), lines[1]!).surname).toBeNull()
  })

  it('of cards of Mexico, whose letter for women is that of men elsewhere', () => {
    const sexOf = (sex: string, code = 'ID') =>
      parseZone(readText(...makeCard({ code, state: 'MEX', sex })), today)?.fields.sex
    expect(sexOf('H')).toMatchObject({ value: 'M' })
    expect(sexOf('F')).toMatchObject({ value: 'F' })
    expect(sexOf('M')).toMatchObject({ value: null, alternatives: ['F', 'M'] })
    expect(sexOf('M', 'I<')).toMatchObject({ value: 'M' })
    expect(sexOf('H', 'I<')).toMatchObject({ value: null })
  })

  it('of driving licences with one row', () => {
    const french = parseZone(readText('D1FRA13AA000026181231MARTIN<<9'), today)
    expect(french).toMatchObject({ format: 'FRA-DL', kind: 'driver_licence', isProven: true })
    expect(valuesOf('D1FRA13AA000026181231MARTIN<<9')).toEqual({
      ...{ documentCode: 'D1', issuingState: 'FRA', documentNumber: '13AA00002', expiryDate: '2018-12-31' },
      surname: 'MARTIN',
    })
    // Its issuer does not say what its data are.
    expect(valuesOf('D1NLD15094962111659VW87Z78NB84')).toEqual({
      ...{ documentCode: 'D1', issuingState: 'NLD', optionalData: '15094962111659VW87Z78NB8' },
    })
    expect(valuesOf('DINLD15094962111659VW87Z78NB84')).toMatchObject({ documentCode: 'D1' })
    for (const line of [
      'D1NLD15094962111659VW87Z78NB8',
      'D1ABC15094962111659VW87Z78NB84',
      'DIANA<<ROSE'.padEnd(30, '<'),
    ])
      expect(parseZone(readText(line), today)).toBeNull()
  })

  it('are null where the reading cannot be a value', () => {
    const swiss = valuesOf('AAA001D<<', 'FACHE30S142IZBO97<<8OO12G<<<<<', 'MARCHAND<<FA81ENNE<<<<<<<<<<<<')
    expect(swiss).toMatchObject({ personalNumber: null, birthDate: null, givenNames: null })
    const unknownState = valuesOf(
      'P<ABCERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
    )
    expect(unknownState).toMatchObject({ issuingState: null, nationality: 'UTO' })
  })

  it.each([
    ...['XXK', 'XKX', 'RKS', 'ROM', 'CSK', 'SUN', 'YUG', 'SCG', 'DDR', 'ZAR', 'TMP', 'BUR', 'NTZ', 'ANT'],
    ...['EUE', 'XOM', 'XPO', 'XXA', 'XXB', 'XXC', 'XXX', 'UNO', 'UNA', 'UNK', 'XBA', 'GBO', 'D'],
  ])('have the nationality %s', (nationality) => {
    expect(valuesOf(...makeCard({ nationality }))).toMatchObject({ nationality })
  })

  it('are not stated where the zone has only fillers', () => {
    const zone = parseZone(
      readText(
        'P<IND<<FIRST<NAME<<<<<<<<<<<<<<<<<<<<<<<<<<<',
        'C01X0006H1D<<<<<<<<0<1710319<<<<<<<<<<<<<<<0',
      ),
      today,
    )
    expect(zone?.fields.surname).toMatchObject({ value: null, isStated: false })
    expect(zone?.fields.givenNames).toMatchObject({ value: 'FIRST NAME' })
    expect(zone?.fields.birthDate).toMatchObject({ value: null, isStated: false })
    expect(zone?.fields.sex?.value).toBe('X')
  })

  it('never expire on cards of Spain and Italy for the old', () => {
    const expiryOf = (state: string, expiry = '9901018') =>
      parseZone(
        readText(
          `ID${state}BAA0005895<<<<<<<<<<<<<<<`,
          `5001013F${expiry}${state}<<<<<<<<<<<7`,
          'GARCIA<<ANA<<<<<<<<<<<<<<<<<<<',
        ),
        today,
      )?.fields.expiryDate
    for (const state of ['ESP', 'ITA']) expect(expiryOf(state)).toMatchObject({ value: '9999-01-01' })
    const passport = makePassport({ state: 'ITA', expiry: '990101' })
    expect(parseZone(readText(...passport), today)?.fields.expiryDate).toMatchObject({ value: '1999-01-01' })
    // Cards of other states may not expire either, or are of the last century.
    expect(expiryOf('UTO')).toMatchObject({
      value: null,
      alternatives: ['1999-01-01', '2099-01-01', '9999-01-01'],
    })
    expect(expiryOf('ITA', '9901029')).toMatchObject({ value: null })
  })

  it('tell the kind by the letter that its issuer chose for cards', () => {
    const kindOf = (code: string) => parseZone(readText(...makeCard({ code })), today)?.kind
    expect(['I<', 'C<', 'AR', 'AC', 'T<'].map(kindOf)).toEqual([
      ...['id_card', 'id_card', 'residence_permit', 'crew_certificate', 'travel_document'],
    ])
  })

  it('tell names that are cut', () => {
    const cut = [
      'P<UTOERIKSSON<<ANNA<MARIA<CHRISTINA<ELISABETH<',
      'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
    ]
    expect(parseZone(readText(cut[0]!.slice(0, 44), cut[1]!), today)?.areNamesTruncated).toBe(true)
    expect(parseZone(readText('P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', cut[1]!), today)).toMatchObject(
      {
        areNamesTruncated: false,
        kind: 'passport',
      },
    )
  })

  it('have the confidence of their characters, or that of the check digit', () => {
    const zone = readText(
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
    )
    const names = parseZone(withCharacter(zone, 0, 7, sure('I', 0.1)), today)
    expect(names?.fields.surname?.confidence).toBeLessThan(0.6)
    const unread = parseZone(
      withCharacter(withCharacter(zone, 0, 7, sure('I', 0.1)), 0, 8, sure('K', 0.1)),
      today,
    )
    expect(unread?.fields.surname).toMatchObject({ value: null, isStated: true })
    expect(names?.fields.birthDate?.confidence).toBeGreaterThan(0.95)
    const number = parseZone(withCharacter(zone, 1, 3, sure('8', 0.6)), today)
    expect(number?.fields.documentNumber).toMatchObject({ value: 'L898902C3' })
    expect(number?.fields.documentNumber?.confidence).toBeGreaterThan(0.9)
  })
})

describe('years of two digits', () => {
  it('of birth are never in the future', () => {
    expect(resolvePastDate('260615', today)).toBe('2026-06-15')
    expect(resolvePastDate('260616', today)).toBe('1926-06-16')
    expect(resolvePastDate('740812', today)).toBe('1974-08-12')
  })

  const card = { today, birth: null, isCard: true, isNever: false }
  const passport = { ...card, isCard: false }

  it('of expiry are those of a passport, or of a card that is valid for longer', () => {
    expect(listExpiryDates('120415', passport)).toEqual(['2012-04-15'])
    expect(listExpiryDates('120415', card)).toEqual(['2012-04-15'])
    expect(listExpiryDates('961210', passport)).toEqual(['1996-12-10'])
    expect(listExpiryDates('751231', card)).toEqual(['2075-12-31'])
    // Nothing is valid for so long, and no zone is so old.
    expect(listExpiryDates('751231', passport)).toEqual([])
    expect(listExpiryDates('800101', card)).toEqual(['2080-01-01'])
    expect(listExpiryDates('100101', { ...card, today: '2080-01-01' })).toEqual(['2110-01-01'])
  })

  it('of expiry are several where nothing tells the century, but none before the birth', () => {
    expect(listExpiryDates('860101', card)).toEqual(['1986-01-01', '2086-01-01'])
    expect(listExpiryDates('860101', { ...card, birth: '1990-05-05' })).toEqual(['2086-01-01'])
    expect(listExpiryDates('991231', card)).toEqual(['1999-12-31', '2099-12-31', '9999-12-31'])
    expect(listExpiryDates('991231', passport)).toEqual(['1999-12-31'])
    expect(listExpiryDates('120415', { ...card, birth: '2020-05-05' })).toEqual(['2012-04-15'])
  })

  it('are none if the date is in no calendar', () => {
    for (const text of ['740230', '741301', '740800', '7408<<', '<<<<<<', '74O812', ''])
      expect(resolvePastDate(text, today)).toBeNull()
    for (const text of ['250229', '<<<<<<']) expect(listExpiryDates(text, card)).toEqual([])
    expect(listExpiryDates('240229', card)).toEqual(['2024-02-29'])
    expect(resolveIssueMonth('9413', today)).toBeNull()
    expect(resolveIssueMonth('2605', today)).toBe('2026-05')
  })
})
