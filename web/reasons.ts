/** Why an analysis was not accepted, in the languages of the pages. The service itself says it in English. */
import type { Reason } from '../client/index.ts'
import type { Language } from './languages.ts'
import { reasonsDe } from './texts/reasons-de.ts'
import { reasonsEs } from './texts/reasons-es.ts'
import { reasonsRu } from './texts/reasons-ru.ts'

const dictionaries = { en: null, de: reasonsDe, es: reasonsEs, ru: reasonsRu }

export function translateReason(
  { code, message, advice }: Pick<Reason, 'code' | 'message' | 'advice'>,
  language: Language,
): Pick<Reason, 'message' | 'advice'> {
  const [found, todo] = dictionaries[language]?.[code] ?? [message, advice]
  return { message: found, advice: todo }
}
