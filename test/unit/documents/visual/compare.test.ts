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
    ['MULLER', 'MUELLER', 'different'],
    ["O'BRIEN-SMITH", 'O BRIEN SMITH', 'same'],
    ['ANNAMARIA', 'ANNA MARIA', 'same'],
    ['Straße', 'STRASSE', 'same'],
    ['СМИРНОВ', 'SMIRNOV', 'same'],
    ['ERIKSS0N', 'ERIKSSON', 'likely'],
    ['PAPANDROPOULOUS', 'PAPANDROPOU', 'likely'],
    ['ANNA MARIA', 'ANNA', 'different'],
    ['SMITH', 'JONES', 'different'],
  ])('compares the names %s and %s', (printed, zone, agreement) => {
    expect(compare('surname', printed, zone)).toBe(agreement)
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
})
