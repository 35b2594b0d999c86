/** Why an analysis was not accepted, in the language of the console. */
import type { Analysis } from '../../client/index.ts'
import { language } from './language.ts'
import { reasonsDe } from './texts/reasons-de.ts'
import { reasonsEs } from './texts/reasons-es.ts'
import { reasonsRu } from './texts/reasons-ru.ts'

const dictionaries = { en: null, de: reasonsDe, es: reasonsEs, ru: reasonsRu }

export const reasonsOf = ({ technical_meta_data }: Analysis) =>
  (technical_meta_data.reasons ?? []).map(({ code, message, advice, media_ids }) => {
    const [found, todo] = dictionaries[language.value]?.[code] ?? [message, advice]
    return { code, message: found, advice: todo, mediaIds: media_ids }
  })
