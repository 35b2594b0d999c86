import { describe, expect, it } from 'vitest'
import {
  compareWithMrz,
  type VisualField,
  type VisualFieldName,
} from '../../../../src/documents/visual/read-fields.ts'

const point = { x: 0, y: 0 }
const field = (
  name: VisualFieldName,
  text: string,
  value: string | null,
  alternatives: string[] = [],
): VisualField => ({
  ...{ name, text, value, alternatives, confidence: 1 },
  place: [point, point, point, point],
})
const compare = (name: VisualFieldName, text: string, mrz: string) =>
  compareWithMrz(name, field(name, text, text), mrz)

describe('agreement with the machine-readable zone', () => {
  it.each([
    ['MÜLLER', 'MUELLER', 'same'],
    ['MÜLLER', 'MULLER', 'same'],
    // Text recognition loses marks that zones write as a second letter.
    ['MULLER', 'MUELLER', 'likely'],
    ['Muehler', 'MUHLER', 'likely'],
    ['SORENSEN', 'SOERENSEN', 'likely'],
    ['GroBmann', 'GROSSMANN', 'likely'],
    ['PORARINN', 'THORARINN', 'likely'],
    ['EGIR', 'AEGIR', 'likely'],
    ['MULLAR', 'MUELLER', 'different'],
    ['SØRENSEN', 'SOERENSEN', 'same'],
    ['ÅSE', 'AASE', 'same'],
    ['ÆGIR', 'AEGIR', 'same'],
    ['Þórarinn', 'THORARINN', 'same'],
    ['ŁUKASZ', 'LUKASZ', 'same'],
    ['MUÑOZ', 'MUNXXOZ', 'same'],
    ['İBRAHİM', 'IBRAHIM', 'same'],
    ['Ööö-Üüü-Äää', 'OEOOE UUEU AEAAE', 'same'],
    ["O'BRIEN-SMITH", 'O BRIEN SMITH', 'same'],
    ['ANNAMARIA', 'ANNA MARIA', 'same'],
    ['Straße', 'STRASSE', 'same'],
    ['СМИРНОВ', 'SMIRNOV', 'same'],
    ['ERIKSS0N', 'ERIKSSON', 'likely'],
    ['ANNA MARIA', 'ANNA', 'different'],
    // A long name is printed in two lines.
    ['ANNA', 'ANNA MARIA', 'likely'],
    ['MARIA', 'ANNA MARIA SOFIA', 'likely'],
    ['MARIASOFIA', 'ANNA MARIA SOFIA', 'likely'],
    ['ANN', 'ANNA MARIA', 'different'],
    ['DR. MÜLLER', 'MUELLER', 'likely'],
    ['ДМИТРИЙ', 'DMITRIY', 'same'],
    ['ЮЛИЯ', 'YULIYA', 'same'],
    ['ЩУКИН', 'SHCHUKIN', 'same'],
    ['КОВАЛЕНКО', 'KOVAL', 'unknown'],
    ['ΓΕΩΡΓΙΟΥ', 'GEORGIOU', 'same'],
    ['张伟', 'ZHANG', 'unknown'],
    ['张 ZHANG', 'ZHANG', 'same'],
    ['3AHG', 'ZHANG', 'different'],
    ['SMITH', 'JONES', 'different'],
  ])('compares the names %s and %s', (printed, zone, agreement) => {
    expect(compare('surname', printed, zone)).toBe(agreement)
  })

  it('takes the beginning of a name only from a zone without room for more of it', () => {
    const long = field('surname', 'PAPANDROPOULOUS', 'PAPANDROPOULOUS')
    expect(compareWithMrz('surname', long, 'PAPANDROPOU', true)).toBe('likely')
    expect(compareWithMrz('surname', long, 'PAPANDROPOU')).toBe('different')
    expect(compareWithMrz('given_names', field('given_names', 'DINGO POTOROO', ''), 'DINGO P', true)).toBe(
      'likely',
    )
  })

  it('is quick on names that can be spelled in many ways', () => {
    const start = performance.now()
    expect(compare('surname', 'ÜÄÖ'.repeat(60), 'UEAEOE'.repeat(60))).toBe('same')
    expect(compare('surname', 'ÜÄÖ'.repeat(60), `${'UEAEOE'.repeat(60)}X`)).toBe('different')
    expect(performance.now() - start).toBeLessThan(2000)
  })

  it('compares numbers exactly, but for characters that look alike', () => {
    expect(compare('document_number', 'L898902C3', 'L898902C3')).toBe('same')
    expect(compare('document_number', 'L8989O2C3', 'L898902C3')).toBe('likely')
    expect(compare('document_number', 'L898902C4', 'L898902C3')).toBe('different')
  })

  it('takes any meaning of an ambiguous date, and none of an unknown word', () => {
    const birth = field('birth_date', '03/04/90', null, ['1990-03-04', '1990-04-03'])
    expect(compareWithMrz('birth_date', birth, '1990-04-03')).toBe('same')
    expect(compareWithMrz('birth_date', birth, '1990-04-04')).toBe('different')
    expect(compareWithMrz('nationality', field('nationality', 'RURITANIAN', null), 'RUR')).toBe('unknown')
    expect(compareWithMrz('nationality', field('nationality', 'DEUTSCH', 'D'), 'DEU')).toBe('same')
  })

  it('takes the codes of one state for the same', () => {
    for (const [printed, zone] of [
      ['RKS', 'XXK'],
      ['ROU', 'ROM'],
      ['COD', 'ZAR'],
      ['D', 'DEU'],
    ] as const)
      expect(compare('nationality', printed, zone)).toBe('same')
    expect(compare('nationality', 'SRB', 'XXK')).toBe('different')
    expect(compare('nationality', 'CZE', 'CSK')).toBe('different')
  })
})
