import { describe, expect, it } from 'vitest'
import { readFields } from '../../../../src/documents/fields.ts'
import type { TextLineReading } from '../../../../src/documents/reading.ts'
import { type KnownValues, readVisualFields } from '../../../../src/documents/visual/read-fields.ts'
import { passportZone, printed, printedPage, readingOf } from '../../../fixtures/document-readings.ts'

const read = (lines: readonly TextLineReading[], known: KnownValues = {}) =>
  Object.fromEntries(
    Object.values(readVisualFields(lines, known).fields).map(({ name, value }) => [name, value]),
  )

type Row = readonly [label: string, value: string]

/** Labels with their values below them, or behind them in the same line. */
const below = (...rows: readonly Row[]) => printedPage(Object.fromEntries(rows))
const behind = (separator: string, ...rows: readonly Row[]) =>
  rows.map(([label, value], i) => printed(`${label}${separator}${value}`, 3 * i))

const zone = { surname: 'GARCIA LOPEZ', given_names: 'JUAN PEDRO' }
const whole = 'GARCIA LOPEZ, JUAN PEDRO'

describe('labels of names', () => {
  it.each([
    ...[
      'Last Name, First Name, Middle Name',
      'LAST NAME, FIRST NAME, MIDDLE NAME',
      'Surname, First name, Middle name',
    ],
    ...['Apellido paterno, Apellido materno, Nombres'],
    ...['Name of bearer', 'NAME OF BEARER', 'Name of the holder', 'Nome do titular', 'Nombre del titular'],
    ...[
      'Nom du titulaire',
      'Nom et prénoms du titulaire',
      'Name des Inhabers',
      'Full name of bearer',
      'Nameofbearer',
      'LastName.FirstName,MiddleName',
    ],
    ...[
      'Cognome Nome',
      'COGNOME NOME',
      'Vorname Name',
      'Nom Prénom',
      'Nom/Prénom',
      'Nom-Prénoms',
      'Surname Name',
    ],
    ...[
      'Apellidos Nombres',
      'First and last name',
      'For- og efternavn',
      'For- og etternavn',
      'För- och efternamn',
    ],
    ...['Suku- ja etunimet', 'Ees- ja perekonnanimi', 'Voor- en achternaam', 'Vor- und Zuname'],
  ])('the whole name stands at %s', (label) => {
    for (const lines of [
      below([label, whole]),
      behind(': ', [label, whole]),
      behind(' ', [label, whole]),
      // Another text below is no name then.
      [...behind(': ', [label, whole]), printed('DRIVER', 1)],
    ]) {
      expect(read(lines)).toEqual({ full_name: whole })
      expect(read(lines, zone)).toEqual({ full_name: whole, ...zone })
    }
  })

  it.each([
    ['Apellido Paterno', 'Apellido Materno', 'Nombre(s)'],
    ['APELLIDO PATERNO', 'APELLIDO MATERNO', 'NOMBRES'],
    ['Primer apellido', 'Segundo apellido', 'Nombre'],
    ['Primer apellido/First surname', 'Segundo apellido/Second surname', 'Nombres/Given names'],
  ])('the surname is that at %s and that at %s', (first, second, given) => {
    const fields = [
      [first, 'GARCIA'],
      [second, 'LOPEZ'],
      [given, 'JUAN PEDRO'],
    ] as const
    for (const lines of [below(...fields), behind(': ', ...fields), behind(' ', ...fields)]) {
      expect(read(lines)).toEqual(zone)
      expect(read(lines.toReversed(), zone)).toEqual(zone)
      // Zones may have the first surname alone.
      expect(read(lines, { ...zone, surname: 'GARCIA' })).toEqual({ ...zone, surname: 'GARCIA' })
      // A surname that differs is not left out.
      expect(read(lines, { ...zone, surname: 'GARCIA RUIZ' })).toEqual(zone)
    }
    // The second one alone is no surname.
    expect(read(below(...fields.slice(1)))).not.toHaveProperty('surname')
  })

  it.each([
    ['Apellido paterno y materno', 'Nombre(s)'],
    ['Primer y segundo apellido', 'Nombres'],
    ['Apellido paterno Apellido materno', 'Nombres'],
    ['Last name', 'First Name, Middle Name'],
    ['Surname of bearer', 'Given names of bearer'],
    ['Apellidos del titular', 'Nombre del titular'],
    ['COGNOME SURNAME', 'NOME NAME'],
    ['Name Surname Nom', 'Vornamen Given names Prénoms'],
    ['Příjmení Surname', 'Jméno Name'],
  ])('the surname stands at %s, the given names at %s', (surname, given) => {
    const fields = [
      [surname, 'GARCIA LOPEZ'],
      [given, 'JUAN PEDRO'],
    ] as const
    for (const lines of [below(...fields), behind(': ', ...fields), behind(' ', ...fields)]) {
      expect(read(lines)).toEqual(zone)
      expect(read(lines, zone)).toEqual(zone)
    }
  })

  const inLanguages = [
    ['Cognome. Surname. Nom. (1)', 'Nome. Given Names. Prénoms. (2)'],
    ['COGNOME SURNAME NOM', 'NOME GIVEN NAMES PRENOMS'],
    ['NOM SURNAME', 'PRENOM NAME'],
    ['Cognome/Surname/Nom', 'Nome/Given names/Prénoms'],
  ] as const
  it.each(inLanguages)('both names are compared at %s and %s', (surname, given) => {
    const agreementOf = (names: string) => {
      const lines = below([surname, 'ERIKSSON'], [given, names])
      const rules = { today: '2011-06-15', doublePageSpread: true }
      return readFields([readingOf({ zones: [passportZone], lines })], rules).validity.agreement
    }
    expect(read(below([surname, 'ERIKSSON'], [given, 'ANNA MARIA']))).toEqual({
      surname: 'ERIKSSON',
      given_names: 'ANNA MARIA',
    })
    expect(agreementOf('ANNA MARIA')).toBe('passed')
    expect(agreementOf('SARA BETH')).toBe('failed')
  })

  it('the whole name may stand beside its parts', () => {
    for (const label of ['Name of bearer: ', 'Name of holder: ', 'Name of bearer ']) {
      const parts = below(['Surname', 'GARCIA LOPEZ'], ['Given names', 'JUAN PEDRO'])
      const lines = [printed(`${label}JUAN PEDRO GARCIA LOPEZ`, 20), ...parts]
      expect(read(lines, zone)).toEqual({ ...zone, full_name: 'JUAN PEDRO GARCIA LOPEZ' })
    }
  })

  it('of several later names the nearest one counts', () => {
    const names = below(['Primer nombre', 'ANA'], ['Segundo nombre', 'MARIA'], ['Otros nombres', 'LUISA'])
    expect(read(names)).toMatchObject({ given_names: 'ANA MARIA' })
  })

  it('a name behind its label stays it, whatever stands below', () => {
    for (const text of ['Surname: garcia lopez', 'Surname Garcia Lopez', 'Surname, GARCIA LOPEZ'])
      expect(read([printed(text, 0), printed('UTOPIA', 1.2)], zone)).toMatchObject({
        surname: 'GARCIA LOPEZ',
      })
    expect(read([printed('Surname, LINDQVIST', 0)], zone)).toMatchObject({ surname: 'LINDQVIST' })
  })

  it('middle names that stand apart are given names, unless the zone leaves them out', () => {
    const lines = below(['Surname', 'CRUZ'], ['First name', 'JUAN PEDRO'], ['Middle name', 'GARCIA'])
    expect(read(lines)).toEqual({ surname: 'CRUZ', given_names: 'JUAN PEDRO GARCIA' })
    for (const given of ['JUAN PEDRO', 'JUAN PEDRO GARCIA'])
      expect(read(lines, { surname: 'CRUZ', given_names: given })).toEqual({
        surname: 'CRUZ',
        given_names: given,
      })
  })

  it('labels in one line may be those of columns', () => {
    const lines = [printed('Surname Given names', 0), printed('GARCIA', 1), printed('JUAN', 1, 0.97, 130)]
    expect(read(lines)).toEqual({ surname: 'GARCIA', given_names: 'JUAN' })
  })

  it('a text behind a label is no name if it looks like the label, and a text below does not', () => {
    const confidenceOf = (label: string, value: string) => {
      const { surname, full_name: full } = readVisualFields(below([label, value])).fields
      const { value: name, confidence } = (surname ?? full)!
      return [name, confidence]
    }
    // Without capitals it is no name for sure.
    expect(confidenceOf('Nome do portatore', 'ROSSI MARIO')).toEqual(['ROSSI MARIO', 0.97])
    expect(read([printed('Nome do portatore', 0)])).toEqual({})
    // Otherwise this is not sure enough to pass, or to contradict.
    expect(confidenceOf('Surname Foo Bar', 'ROSSI')).toEqual(['ROSSI', 0.75])
    expect(confidenceOf('Name Foo Bar', 'ROSSI MARIO')).toEqual(['ROSSI MARIO', 0.75])
    expect(confidenceOf('SURNAME FOO', 'ROSSI')).toEqual(['FOO', 0.75])
    expect(confidenceOf('Surname Foo', 'Rossi')).toEqual(['FOO', 0.75])
    // It is a name if it does not look like the label, or nothing else may be the name.
    expect(confidenceOf('Surname ROSSI', 'DRIVER')).toEqual(['ROSSI', 0.97])
    expect(confidenceOf('Surname ROSSl', 'DRIVER')).toEqual(['ROSSL', 0.97])
    expect(confidenceOf('SURNAME Rossi', 'DRIVER')).toEqual(['ROSSI', 0.97])
    expect(confidenceOf('SURNAME: ROSSI', 'DRIVER')).toEqual(['ROSSI', 0.97])
    expect(confidenceOf('SURNAME ROSSI', '12.08.1974')).toEqual(['ROSSI', 0.97])
  })

  it.each([
    ...[
      'Last Name, First Name, Middle Name',
      'Last Name, First Name, M.I.',
      'Name of bearer',
      'Nome do titular',
    ],
    ...['Cognome Nome', 'Vorname Name', 'For- og efternavn', 'Apellido Paterno y Materno, Nombre(s)'],
  ])('a page with %s agrees with its zone, or contradicts it', (label) => {
    const agreementOf = (name: string) => {
      const lines = printedPage({ [label]: name })
      const rules = { today: '2011-06-15', doublePageSpread: true }
      return readFields([readingOf({ zones: [passportZone], lines })], rules).validity.agreement
    }
    expect(agreementOf('ERIKSSON, ANNA MARIA')).toBe('passed')
    expect(agreementOf('LINDQVIST, ANNA MARIA')).toBe('failed')
  })
})
