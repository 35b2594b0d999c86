import { describe, expect, it } from 'vitest'
import { chooseLanguage, fillText, languages, textsOf } from '../../../client/capture/texts.ts'

describe('the words of the element', () => {
  it('are in each language, with the same places for values', () => {
    const places = (text: string) => text.match(/\{\w+\}/g)?.sort() ?? []
    expect(languages).toEqual(['en', 'de', 'ru', 'es'])
    const english = textsOf('en')
    for (const language of languages) {
      const texts = textsOf(language)
      for (const [key, text] of Object.entries(english)) {
        const own = texts[key as keyof typeof texts]
        expect(own.trim().length, `${language} ${key}`).toBeGreaterThan(0)
        expect(places(own), `${language} ${key}`).toEqual(places(text))
      }
    }
  })

  it('are chosen by the first language that is shipped', () => {
    expect(chooseLanguage(['fr', 'de-CH', 'en'])).toBe('de')
    expect(chooseLanguage(['RU'])).toBe('ru')
    expect(chooseLanguage(['fr'])).toBe('en')
    expect(chooseLanguage([])).toBe('en')
  })

  it('can be replaced by the page', () => {
    expect(textsOf('en', { start: 'Begin' })).toMatchObject({ start: 'Begin', send: 'Send' })
    expect(fillText('Step {step} of {steps} {other}', { step: 1, steps: 2 })).toBe('Step 1 of 2 {other}')
  })
})
