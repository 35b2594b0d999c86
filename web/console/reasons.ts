/** Why an analysis was not accepted, in the language of the console. */
import type { Analysis } from '../../client/index.ts'
import { translateReason } from '../reasons.ts'
import { language } from './language.ts'

export const reasonsOf = ({ technical_meta_data }: Analysis) =>
  (technical_meta_data.reasons ?? []).map((reason) => ({
    ...translateReason(reason, language.value),
    code: reason.code,
    mediaIds: reason.media_ids,
  }))
