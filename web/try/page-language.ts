/** The page in its language, and the choice of another one. */
import { h } from '../dom.ts'
import { keepLanguage, type Language, languageNames } from '../languages.ts'
import { language, type Text, t } from './language.ts'

/** Translates what the page has from the beginning: elements with `data-text`, which is the attribute that has the text, or empty. */
export function translatePage(): void {
  document.documentElement.lang = language
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    const attribute = element.dataset.text!
    if (attribute === '') element.textContent = t(element.textContent as Text)
    else element.setAttribute(attribute, t(element.getAttribute(attribute) as Text))
  }
}

/** Another language is that of the page when it is loaded again. */
export function languageChoice(): HTMLElement {
  const choice = h(
    'select',
    { class: 'language', 'aria-label': t('Language') },
    ...Object.entries(languageNames).map(([name, text]) =>
      h('option', { value: name, lang: name, selected: name === language }, text),
    ),
  )
  choice.addEventListener('change', () => {
    keepLanguage(choice.value as Language)
    location.reload()
  })
  return choice
}
