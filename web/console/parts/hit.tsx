/** A person of a collection. */
import type { Person } from '../../../client/index.ts'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { linkTo } from '../route.ts'
import { api } from '../session.ts'
import { StoredImage } from './media.tsx'

/** People are named by whoever enrols them. */
export const namePerson = ({ meta_data, person_id }: Pick<Person, 'meta_data' | 'person_id'>): string =>
  typeof meta_data.name === 'string' ? meta_data.name : person_id.slice(0, 8)

interface HitProps {
  collectionId: string
  personId: string
  imageId: string
}

/** A person of a collection, by the photo that is alike. */
export function Hit({ collectionId, personId, imageId }: HitProps) {
  const path = { collection: collectionId, person: personId }
  const { data } = useLoaded(
    (signal) => api('GET /api/collections/{collection}/persons/{person}', { path, signal }),
    [collectionId, personId],
  )
  const photo = data?.images.find(({ media_id }) => media_id === imageId)
  return (
    <a class="hit" href={linkTo('collections', collectionId)}>
      <StoredImage link={photo?.thumb_url ?? null} alt={t('Photo of the person')} />
      <span class="id">{namePerson(data ?? { meta_data: {}, person_id: personId })}</span>
    </a>
  )
}
