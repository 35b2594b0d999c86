import { describe, expect, it } from 'vitest'
import { findingOf } from '../../../src/documents/document-field.ts'
import { type FieldRules, readFields } from '../../../src/documents/fields.ts'
import type { DocumentReading } from '../../../src/documents/reading.ts'
import { cardZone, passportZone, printed, printedPage, readingOf } from '../../fixtures/document-readings.ts'
import { makeCard, makePassport } from '../../fixtures/made-up-zones.ts'
import { readText, sure, withCharacter } from '../../fixtures/mrz.ts'

/** The specimens are valid then. */
const rules: FieldRules = { today: '2011-06-15', doublePageSpread: true }

const page = {
  Surname: 'ERIKSSON',
  'Given names': 'ANNA MARIA',
  'Passport No.': 'L898902C3',
  Nationality: 'UTOPIAN',
  'Date of birth': '12 AUG 1974',
  'Date of expiry': '15 APR 2012',
  'Place of birth': 'ZENITH',
}

function fieldsOf(readings: readonly DocumentReading[], change: Partial<FieldRules> = {}) {
  const document = readFields(readings, { ...rules, ...change })
  return {
    ...document,
    byName: Object.fromEntries(document.fields.map(({ name, ...field }) => [name, field])),
    found: Object.fromEntries(
      document.fields.map((field) => [field.name, findingOf(field, document.validity.expiry)]),
    ),
  }
}

describe('a document', () => {
  it('with a zone alone passes by its check digits', () => {
    const { byName, validity, kind, format, issuingState } = fieldsOf([readingOf({ zones: [passportZone] })])
    expect(byName).toMatchObject({
      document_code: { visual: null, mrz: 'P', result: 'passed' },
      document_number: { mrz: 'L898902C3', result: 'passed' },
      surname: { mrz: 'ERIKSSON', result: 'passed' },
      given_names: { mrz: 'ANNA MARIA' },
      birth_date: { mrz: '1974-08-12', result: 'passed' },
      expiry_date: { mrz: '2012-04-15', result: 'passed' },
      personal_number: { mrz: 'ZE184226B' },
      sex: { mrz: 'F' },
    })
    expect({ kind, format, issuingState }).toEqual({ kind: 'passport', format: 'TD3', issuingState: 'UTO' })
    expect(validity).toEqual({
      checkDigits: 'passed',
      expiry: 'passed',
      dates: 'passed',
      agreement: null,
      singleDocument: 'passed',
    })
  })

  it('agrees with its page', () => {
    const { byName, validity } = fieldsOf([readingOf({ zones: [passportZone], lines: printedPage(page) })])
    for (const name of ['surname', 'given_names', 'document_number', 'birth_date', 'expiry_date'])
      expect(byName[name]).toMatchObject({ result: 'passed', visual: byName[name]!.mrz })
    expect(byName.birth_place).toMatchObject({ visual: 'ZENITH', mrz: null, result: 'passed' })
    expect(validity.agreement).toBe('passed')
  })

  it('contradicts itself if page and zone differ and both were read well', () => {
    const lines = printedPage({ ...page, Surname: 'LINDQVIST' })
    const { byName, validity } = fieldsOf([readingOf({ zones: [passportZone], lines })])
    expect(byName.surname).toMatchObject({ visual: 'LINDQVIST', mrz: 'ERIKSSON', result: 'failed' })
    expect(validity.agreement).toBe('failed')
    const blurred = lines.map((line) => ({ ...line, confidence: 0.7 }))
    const doubtful = fieldsOf([readingOf({ zones: [passportZone], lines: blurred })])
    expect(doubtful.byName.surname).toMatchObject({ result: 'unsure' })
    expect(doubtful.validity.agreement).toBe('unsure')
  })

  it('expires', () => {
    const late = fieldsOf([readingOf({ zones: [passportZone] })], { today: '2012-04-16' })
    expect(late.validity.expiry).toBe('failed')
    expect(late.byName.expiry_date).toMatchObject({ result: 'failed' })
    expect(fieldsOf([readingOf({ zones: [passportZone] })], { today: '2012-04-15' }).validity.expiry).toBe(
      'passed',
    )
  })

  it('with forged check digits fails, and is unsure if the reading is', () => {
    const forged = readText(passportZone[0], passportZone[1].replace('7408122', '8408122'))
    const { byName, validity } = fieldsOf([readingOf({ zones: [forged] })])
    expect(validity.checkDigits).toBe('failed')
    expect(byName.birth_date).toMatchObject({ mrz: '1984-08-12', result: 'failed' })
    const blurred = withCharacter(forged, 1, 13, sure('8', 0.5))
    expect(fieldsOf([readingOf({ zones: [blurred] })]).validity.checkDigits).toBe('unsure')
  })

  it('has front and back in two pictures', () => {
    const { byName, validity } = fieldsOf([
      readingOf({ lines: printedPage({ Surname: 'ERIKSSON', 'Date of birth': '12 AUG 1974' }) }),
      readingOf({ zones: [cardZone], lines: [] }),
    ])
    expect(byName.surname).toMatchObject({ visual: 'ERIKSSON', mrz: 'ERIKSSON', result: 'passed' })
    expect(validity.agreement).toBe('passed')
  })

  it('is one of two: an operator decides', () => {
    const other = ['I<UTOX231458905<<<<<<<<<<<<<<<', ...cardZone.slice(1)]
    expect(fieldsOf([readingOf({ zones: [cardZone, passportZone] })]).validity.singleDocument).toBe('unsure')
    expect(fieldsOf([readingOf({ zones: [cardZone, cardZone] })]).validity.singleDocument).toBe('passed')
    expect(
      fieldsOf([readingOf({ zones: [cardZone] }), readingOf({ zones: [other] })]).validity,
    ).toMatchObject({
      singleDocument: 'unsure',
    })
  })

  it('is one of two if only the names differ, or if nothing shows that both zones are of one', () => {
    const other = [cardZone[0], cardZone[1], 'LINDQVIST<<EVA<<<<<<<<<<<<<<<<']
    const singleOf = (...zones: Parameters<typeof readingOf>[0]['zones'] & object) =>
      fieldsOf([readingOf({ zones })]).validity.singleDocument
    expect(singleOf(cardZone, other)).toBe('unsure')
    const smudged = [...'D23145890', ...'7408122'].map(
      (_, at) => [at < 9 ? 0 : 1, at < 9 ? 5 + at : at - 9] as const,
    )
    const unread = smudged.reduce(
      (zone, [line, column]) => withCharacter(zone, line, column, sure('<', 0.1)),
      readText(...cardZone),
    )
    expect(singleOf(cardZone, unread)).toBe('unsure')
  })

  it('is not proven by one picture that agrees if another one contradicts it', () => {
    const own = readingOf({ lines: printedPage({ Surname: 'ERIKSSON' }) })
    const other = readingOf({
      lines: printedPage({ Surname: 'LINDQVIST' }).map((line) => ({ ...line, confidence: 0.95 })),
    })
    const zone = readingOf({ zones: [passportZone] })
    for (const readings of [
      [own, other, zone],
      [other, zone, own],
    ])
      expect(fieldsOf(readings)).toMatchObject({
        byName: { surname: { visual: 'ERIKSSON', mrz: 'ERIKSSON', result: 'unsure' } },
        validity: { agreement: 'unsure' },
      })
  })

  it('does not pass without what every document states', () => {
    // Number, birth and expiry are empty, and their check digits hold.
    const empty = [passportZone[0], '<<<<<<<<<<UTO<<<<<<0F<<<<<<0<<<<<<<<<<<<<<00']
    const { byName, validity } = fieldsOf([readingOf({ zones: [empty] })])
    expect(validity).toMatchObject({ checkDigits: 'passed', expiry: 'unsure' })
    for (const name of ['document_number', 'birth_date', 'expiry_date'])
      expect(byName[name]).toMatchObject({ mrz: null, result: 'unsure' })
    const nameless = fieldsOf([readingOf({ zones: [['P<UTO'.padEnd(44, '<'), passportZone[1]]] })])
    expect(nameless.byName.surname).toMatchObject({ mrz: null, result: 'unsure' })
  })

  it('is not declined by dates that were read with doubt', () => {
    const lines = (confidence: number) =>
      printedPage({ 'Date of issue': '15 MAY 2012' }).map((line) => ({ ...line, confidence }))
    const datesOf = (confidence: number) =>
      fieldsOf([readingOf({ zones: [passportZone], lines: lines(confidence) })]).validity.dates
    expect(datesOf(0.97)).toBe('failed')
    expect(datesOf(0.7)).toBe('unsure')
    const expired = (confidence: number) =>
      fieldsOf([
        readingOf({
          lines: printedPage({ 'Date of expiry': '15 APR 2010' }).map((line) => ({ ...line, confidence })),
        }),
      ])
    expect(expired(0.97)).toMatchObject({
      validity: { expiry: 'failed' },
      byName: { expiry_date: { result: 'failed' } },
    })
    for (const confidence of [0.85, 0.7])
      expect(expired(confidence)).toMatchObject({
        validity: { expiry: 'unsure' },
        byName: { expiry_date: { result: 'unsure' } },
      })
    // The same date beside two labels.
    const twice = printedPage({ 'Date of issue': '15 APR 2012', 'Date of expiry': '15 APR 2012' })
    expect(
      fieldsOf([readingOf({ zones: [passportZone], lines: twice })], { today: '2012-04-15' }).validity.dates,
    ).toBe('unsure')
  })

  it('needs an operator if it was issued after today, and is declined if its holder was born then', () => {
    const datesOf = (label: string) =>
      fieldsOf([readingOf({ lines: printedPage({ [label]: '16 JUN 2011' }) })]).validity.dates
    expect(datesOf('Date of issue')).toBe('unsure')
    expect(datesOf('Date of birth')).toBe('failed')
    expect(datesOf('Valid from')).toBeNull()
  })

  it('of a person of a hundred years has the year of the page', () => {
    const lines = (text: string) => printedPage({ 'Date of birth': text })
    const born = (text: string) =>
      fieldsOf([readingOf({ zones: [passportZone], lines: lines(text) })], { today: '2080-01-01' }).byName
        .birth_date
    expect(born('12 AUG 1974')).toMatchObject({ mrz: '1974-08-12', visual: '1974-08-12', result: 'passed' })
    expect(born('12 AUG 1973')).toMatchObject({ mrz: '2074-08-12', result: 'failed' })
  })

  it('of a card for the old expires in the century that the page tells', () => {
    const today = '2026-06-15'
    const expiryOf = (zone: readonly string[], page: Record<string, string>, confidence = 0.97) => {
      const lines = printedPage(page).map((line) => ({ ...line, confidence }))
      const { byName, validity } = fieldsOf([readingOf({ zones: [zone], lines })], { today })
      return { mrz: byName.expiry_date!.mrz, field: byName.expiry_date!.result, expiry: validity.expiry }
    }
    const hungarian = makeCard({ state: 'HUN', nationality: 'HUN', birth: '580101', expiry: '860101' })
    const endless = { mrz: '2086-01-01', field: 'passed', expiry: 'passed' }
    const unknown = { mrz: null, field: 'unsure', expiry: 'unsure' }
    expect(expiryOf(hungarian, { 'Date of expiry': '2086.01.01' })).toEqual(endless)
    expect(expiryOf(hungarian, { 'Date of issue': '03.02.2026' })).toEqual(endless)
    expect(expiryOf(hungarian, { 'Date of expiry': '01.01.1986' })).toMatchObject({ expiry: 'failed' })
    expect(expiryOf(hungarian, {})).toEqual(unknown)
    expect(expiryOf(hungarian, { 'Date of expiry': '01.01.86' })).toEqual(unknown)
    expect(expiryOf(hungarian, { 'Date of expiry': '2086.01.01' }, 0.7)).toEqual(unknown)
    // An expiry in 2020 that the page has a century later may be either; that of a passport may not.
    const old = { expiry: '200101' }
    const later = { 'Date of expiry': '01.01.2120' }
    expect(expiryOf(makeCard(old), later)).toEqual(unknown)
    expect(expiryOf(makePassport(old), later)).toEqual({
      ...{ mrz: '2020-01-01', field: 'failed', expiry: 'failed' },
    })
  })

  it('does not expire where zone and page say so', () => {
    const today = '2026-06-15'
    const judge = (expiry: string, text: string, state = 'UTO') => {
      const zone = makeCard({ state, birth: '480715', expiry })
      const lines = text === '' ? [] : printedPage({ 'Date of expiry': text })
      const { byName, validity } = fieldsOf([readingOf({ zones: [zone], lines })], { today })
      return [
        byName.expiry_date?.mrz,
        byName.expiry_date?.visual,
        byName.expiry_date?.result,
        validity.expiry,
      ]
    }
    const dated = '9999-01-01'
    expect(judge('990101', '01.01.9999', 'ITA')).toEqual([dated, dated, 'passed', 'passed'])
    expect(judge('990101', '', 'ITA')).toEqual([dated, null, 'passed', 'passed'])
    expect(judge('990101', '01.01.9999')).toEqual([dated, dated, 'passed', 'passed'])
    expect(judge('990101', 'UNBEFRISTET')).toEqual([dated, '9999-12-31', 'passed', 'passed'])
    expect(judge('990101', '')).toEqual([null, null, 'unsure', 'unsure'])
    const word = '9999-12-31'
    for (const text of ['TRAJNO', 'Bez ograničenja', 'PERMANENT / ILLIMITÉE', 'SEUMUR HIDUP'])
      expect(judge('<<<<<<', text)).toEqual([null, word, 'passed', 'passed'])
    expect(judge('<<<<<<', '')).toEqual([null, null, 'unsure', 'unsure'])
    // A card that has expired, on which somebody printed that it does not.
    expect(judge('120415', 'TRAJNO')).toEqual(['2012-04-15', word, 'failed', 'failed'])
  })

  it('agrees with the beginning of a name only if the zone has no room for more', () => {
    const surnameOf = (name: string, lines: ReturnType<typeof printedPage>) =>
      fieldsOf([readingOf({ zones: [[`P<UTO${name}`.padEnd(44, '<'), passportZone[1]]], lines })]).byName
        .surname
    const printed = printedPage({ Surname: 'PAPANDROPOULOUS' })
    expect(surnameOf('PAPANDROPOU<<ANNA', printed)).toMatchObject({ result: 'failed' })
    const long = 'NILAVADHANANANDA<PAPANDROPOU<<ARNPOLPETCH'
    expect(
      surnameOf(long.slice(0, 39), printedPage({ Surname: 'NILAVADHANANANDA PAPANDROPOU' })),
    ).toMatchObject({
      result: 'passed',
    })
  })

  it('with names in another script is not declined by what was made of them', () => {
    const zone = ['P<RUSSMIRNOV<<IURII<<<<<<<<<<<<<<<<<<<<<<<<<', '']
    zone[1] = passportZone[1].replace('UTO', 'RUS')
    const surnameOf = (text: string, state = 'RUS') => {
      const lines = printedPage({ Surname: text })
      return fieldsOf([readingOf({ zones: [zone.map((one) => one.replace('RUS', state))], lines })]).byName
        .surname
    }
    expect(surnameOf('CMNPHOB')).toMatchObject({ visual: null, result: 'passed' })
    expect(surnameOf('PETROV')).toMatchObject({ result: 'unsure' })
    expect(surnameOf('CMNPHOB', 'UTO')).toMatchObject({ visual: 'CMNPHOB', result: 'failed' })
  })

  it('of Mexico has the sex in Spanish letters, of which M is a woman', () => {
    const read = (zoneSex: string, printedSex: string, page: Record<string, string> = {}) => {
      const zone = makeCard({ code: 'ID', state: 'MEX', nationality: 'MEX', sex: zoneSex })
      const lines = printedPage({ ...page, ...(printedSex === '' ? {} : { Sexo: printedSex }) })
      const { sex } = fieldsOf([readingOf({ zones: [zone], lines })]).byName
      return [sex?.visual, sex?.mrz, sex?.result]
    }
    const card = { 'CLAVE DE ELECTOR': 'PRGRJN83092809H100' }
    expect(read('H', 'H', card)).toEqual(['M', 'M', 'passed'])
    expect(read('M', 'M', card)).toEqual(['F', 'F', 'passed'])
    expect(read('F', 'M', card)).toEqual(['F', 'F', 'passed'])
    expect(read('H', 'M', card)).toEqual(['F', 'M', 'failed'])
    expect(read('M', '')).toEqual([null, null, 'unsure'])
    expect(read('H', '')).toEqual([null, 'M', 'passed'])
  })

  it('of Russia has Cyrillic names in its zone, which agree with what the reader makes of the page', () => {
    const zone = [
      'PNRUSZDRIL7K<<SERGEQ<ANATOL9EVI3<<<<<<<<<<<<',
      '3919353498RUS7207233M<<<<<<<4151218910003<50',
    ]
    const read = (page: Record<string, string>) =>
      fieldsOf([readingOf({ zones: [zone], lines: printedPage(page) })], { today: '2026-06-15' }).byName
    const agreeing = read({
      ...{ Surname: 'ЗДРИЛЮК', 'Given names': 'СЕРГЕЙ АНАТОЛЬЕВИЧ' },
      ...{ 'Passport No': '39 14 935349', 'Date of issue': '18.12.2015' },
    })
    expect(agreeing).toMatchObject({
      surname: { visual: 'ЗДРИЛЮК', mrz: 'ЗДРИЛЮК', result: 'passed' },
      given_names: { mrz: 'СЕРГЕЙ АНАТОЛЬЕВИЧ', result: 'passed' },
      document_number: { visual: '3914935349', mrz: '3914935349', result: 'passed' },
      issue_date: { mrz: '2015-12-18', result: 'passed' },
      // It has none: whether it is still valid depends on the age of its holder.
      expiry_date: { mrz: null, result: 'unsure' },
    })
    expect(read({ Surname: '3APNJIOK' }).surname).toMatchObject({ visual: null, result: 'passed' })
    expect(read({ Surname: 'PETROV' }).surname).toMatchObject({ visual: 'PETROV', result: 'unsure' })
  })

  it.each([
    ...['31 FEB 74', '31FEB/FEV74', 'FEB 31 1974', 'FEB 31, 1974', '31.02.1974 ZENITH', '1974.02.31.'],
    ...['30 de febrero de 1974', 'ZENITH 31 FEB 1974'],
  ])('does not pass by %s, in whatever form it is printed', (printed) => {
    const lines = printedPage({ 'Date of birth': printed })
    const { byName, validity } = fieldsOf([readingOf({ zones: [makePassport()], lines })], {
      today: '2026-06-15',
    })
    expect(byName.birth_date).toMatchObject({ mrz: '1974-08-12', result: 'failed' })
    expect(validity.agreement).toBe('failed')
  })

  it('does not pass by a printed date that cannot be', () => {
    const read = (zone: readonly string[] | null, page: Record<string, string>, confidence = 0.97) =>
      fieldsOf(
        [
          readingOf({
            zones: zone ? [zone] : [],
            lines: printedPage(page).map((line) => ({ ...line, confidence })),
          }),
        ],
        { today: '2026-06-15' },
      )
    const wrong = { 'Date of birth': '85/03/1915', 'Date of expiry': '32/05/2014' }
    const clear = read(makePassport(), wrong)
    expect(clear.byName).toMatchObject({
      birth_date: { visual: '85/03/1915', mrz: '1974-08-12', result: 'failed' },
      expiry_date: { visual: '32/05/2014', mrz: '2032-04-15', result: 'failed' },
    })
    expect(clear.validity.agreement).toBe('failed')
    const blurred = read(makePassport(), wrong, 0.85)
    expect(blurred.byName).toMatchObject({
      birth_date: { result: 'unsure' },
      expiry_date: { result: 'unsure' },
    })
    const alone = read(null, { Surname: 'ERIKSSON', ...wrong })
    expect(alone.byName).toMatchObject({ birth_date: { visual: '85/03/1915', result: 'failed' } })
    expect(alone.validity).toMatchObject({ agreement: null, expiry: 'unsure' })
    expect(read(null, wrong, 0.85).byName.birth_date).toMatchObject({ result: 'unsure' })
    // A date that can be is nearer to what is meant; so are the calendars of issuers that print other scripts.
    const beside = [...printedPage({ 'Date of birth': 'NO 45/99/1974' }), printed('12.08.1974', 2)]
    expect(fieldsOf([readingOf({ zones: [makePassport()], lines: beside })]).byName.birth_date).toMatchObject(
      {
        ...{ visual: '1974-08-12', result: 'passed' },
      },
    )
    const nepali = makePassport({ state: 'NPL', nationality: 'NPL' })
    expect(read(nepali, { 'Date of birth': '32/04/2031' }).byName.birth_date).toMatchObject({
      ...{ visual: null, result: 'passed' },
    })
  })

  it('tells of each field what is known: only what zone and page both say agrees', () => {
    const lines = printedPage({ ...page, Surname: 'LINDQVIST', 'Date of issue': '20 MAY 2002' })
    expect(fieldsOf([readingOf({ zones: [passportZone], lines })]).found).toMatchObject({
      given_names: 'agrees',
      birth_date: 'agrees',
      surname: 'contradicts',
      birth_place: 'printed_only',
      issue_date: 'printed_only',
      document_code: 'not_compared',
      sex: 'not_compared',
    })
    const late = fieldsOf([readingOf({ zones: [passportZone], lines: printedPage(page) })], {
      today: '2012-04-16',
    })
    expect(late.found).toMatchObject({ birth_date: 'agrees', expiry_date: 'expired' })
    const forged = readText(passportZone[0], passportZone[1].replace('7408122', '8408122'))
    expect(fieldsOf([readingOf({ zones: [forged] })]).found.birth_date).toBe('contradicts')
    const blurred = printedPage({ Surname: 'ERIKSSON' }).map((line) => ({ ...line, confidence: 0.7 }))
    expect(fieldsOf([readingOf({ lines: blurred })]).found.surname).toBe('not_readable')
    const other = readingOf({ lines: printedPage({ Surname: 'LINDQVIST' }) })
    const own = readingOf({ lines: printedPage({ Surname: 'ERIKSSON' }) })
    expect(fieldsOf([own, other, readingOf({ zones: [passportZone] })]).found.surname).toBe('contradicts')
    // Texts that cannot be interpreted are not compared.
    const zone = ['P<RUSSMIRNOV<<IURII<<<<<<<<<<<<<<<<<<<<<<<<<', passportZone[1].replace('UTO', 'RUS')]
    const dubious = fieldsOf([readingOf({ zones: [zone], lines: printedPage({ Surname: 'CMNPHOB' }) })])
    expect(dubious.found.surname).toBe('not_compared')
  })

  it('contradicts itself by printed dates that cannot be together, or at all', () => {
    const read = (page: Record<string, string>, confidence = 0.97) =>
      fieldsOf([readingOf({ lines: printedPage(page).map((line) => ({ ...line, confidence })) })])
    const [birth, issue, expiry] = ['Date of birth', 'Date of issue', 'Date of expiry']
    const backwards = { [birth]: '12 AUG 1974', [issue]: '15 MAY 1970', [expiry]: '15 APR 2012' }
    expect(read(backwards)).toMatchObject({
      byName: {
        birth_date: { result: 'failed' },
        issue_date: { result: 'failed' },
        expiry_date: { result: 'passed' },
      },
      found: { birth_date: 'contradicts', issue_date: 'contradicts', expiry_date: 'printed_only' },
      validity: { dates: 'failed' },
    })
    expect(read({ ...backwards, [issue]: '15 MAY 2012' }).found).toEqual({
      birth_date: 'printed_only',
      issue_date: 'contradicts',
      expiry_date: 'contradicts',
    })
    expect(read(backwards, 0.85).found).toMatchObject({ birth_date: 'printed_only' })
    for (const never of ['31 FEB 1974', '31.02.1974', '31/02/1974'])
      expect(read({ [birth]: never, [expiry]: '15 APR 2012' }).found, never).toMatchObject({
        birth_date: 'contradicts',
      })
  })

  it('without a zone has printed fields', () => {
    const { byName, zone, kind } = fieldsOf([readingOf({ lines: printedPage(page) })])
    expect(zone).toBeNull()
    expect(kind).toBe('passport')
    expect(byName.surname).toMatchObject({ visual: 'ERIKSSON', mrz: null, result: 'passed' })
  })

  it('has no field that was not read', () => {
    for (const readings of [
      [],
      [readingOf({})],
      [readingOf({ lines: [] })],
      [readingOf({ zones: [['ABC']] })],
    ])
      expect(fieldsOf(readings)).toMatchObject({ fields: [], kind: null, issuingState: null })
    expect(fieldsOf([readingOf({ zones: [['ABC']] })]).unreadableZones).toBe(1)
  })

  it('has only the page with the zone if both pages are not wanted', () => {
    const width = passportZone[0].length * 10
    const zone = {
      ...readText(...passportZone),
      place: [
        { x: 0, y: 900 },
        { x: width, y: 900 },
        { x: width, y: 950 },
        { x: 0, y: 950 },
      ] as const,
    }
    const lines = [
      printed('Authority', 1),
      printed('CITY OF ZENITH', 2),
      printed('Place of birth', 30),
      printed('ZENITH', 31),
    ]
    const spread = fieldsOf([readingOf({ zones: [zone], lines })])
    const single = fieldsOf([readingOf({ zones: [zone], lines })], { doublePageSpread: false })
    expect(Object.keys(spread.byName)).toEqual(expect.arrayContaining(['authority', 'birth_place']))
    expect(Object.keys(single.byName)).toContain('birth_place')
    expect(Object.keys(single.byName)).not.toContain('authority')
  })

  it('keeps text as text, without characters that have no shape', () => {
    const injection = `1 MAIN STREET <script>alert(1)</script>'; DROP TABLE users;-- \u202e#0`
    const lines = printedPage({ 'Place of birth': 'ZENITH \u202e#0', Address: injection })
    const { byName } = fieldsOf([readingOf({ lines })])
    const texts = Object.values(byName).map((field) => field.visual as string)
    expect(texts.length).toBeGreaterThan(0)
    for (const text of texts) expect(text).not.toMatch(/\p{C}/u)
  })
})
