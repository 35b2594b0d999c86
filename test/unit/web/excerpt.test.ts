import { describe, expect, it } from 'vitest'
import { excerptOf } from '../../../web/guide/excerpt.ts'

const shown = (text: string, terms: string[]) =>
  excerptOf(text, terms)
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('')

describe('excerptOf', () => {
  it('marks the words that begin with what was found', () => {
    expect(shown('A token lives long. Tokens end; a broken one does not.', ['token'])).toBe(
      'A [token] lives long. [Tokens] end; a broken one does not.',
    )
  })

  it('begins shortly before the first match and ends with a word', () => {
    const text = `${'word '.repeat(60)}needle ${'more '.repeat(60)}`
    const result = shown(text, ['needl'])
    expect(result).toMatch(/^… (word )+\[needle\] (more )*more …$/)
    expect(result.length).toBeLessThan(160)
  })

  it('shows the beginning of a text that was found by its title', () => {
    expect(shown('Nothing here.', ['token'])).toBe('Nothing here.')
    expect(shown('', ['token'])).toBe('')
  })

  it('keeps letters of every script', () => {
    expect(shown('Как удалить данные', ['дан'])).toBe('Как удалить [данные]')
  })
})
