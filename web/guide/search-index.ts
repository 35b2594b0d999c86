/** What the search index of the guide holds. The build writes it, the page reads it. */
import type { Options } from 'minisearch'

/** A section of a page. */
export interface Section {
  /** Its address. */
  id: string
  page: string
  title: string
  text: string
}

export const indexOptions: Options<Section> = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page'],
}
