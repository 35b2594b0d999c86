/** Warns that a photo that was just enrolled is like another person, with both pictures and a way to undo. */
import type { PersonImage } from '../../../client/index.ts'
import { formatScore, t } from '../language.ts'
import { Action } from './forms.tsx'
import { Hit, namePerson } from './hit.tsx'
import { Card } from './layout.tsx'
import { LocalImage } from './media.tsx'

/** A photo that was enrolled, and the person it is most like. */
export interface Alike {
  photo: File
  /** Who was enrolled. */
  name: string
  image: PersonImage
  other: NonNullable<PersonImage['similar_persons']>[number]
  /** Takes back what was enrolled; `null` for those who may not. */
  undo: (() => Promise<unknown>) | null
}

/** The photo of a call that is most like another person; `null` if none is. @param photos in the order of the images */
export function findAlike(images: readonly PersonImage[], photos: readonly File[]) {
  const found = images.flatMap((image, place) =>
    (image.similar_persons ?? []).map((other) => ({ photo: photos[place]!, image, other })),
  )
  return found.sort((a, b) => b.other.confidence - a.other.confidence)[0] ?? null
}

interface AlikeListProps {
  of: readonly Alike[]
  /** Leaves one out of the list. */
  onSeen(alike: Alike): void
}

export const AlikeList = ({ of, onSeen }: AlikeListProps) =>
  of.length > 0 && (
    <Card title={t('Enrolled twice?')}>
      <div role="status">
        <ul class="hits">
          {of.map((alike) => {
            const { photo, name, image, other, undo } = alike
            return (
              <li key={image.media_id}>
                <LocalImage file={photo} alt={name} />
                <Hit
                  collectionId={image.collection_id}
                  personId={other.person_id}
                  imageId={other.person_image_id}
                />
                <div>
                  <p>{t('{name} looks like {other}.', { name, other: namePerson(other) })}</p>
                  <p class="hint">
                    {t('Likeness')}: {formatScore(other.confidence)}
                  </p>
                  <span class="row">
                    {undo && (
                      <Action run={() => undo().then(() => onSeen(alike))} done={t('It is taken back.')}>
                        {t('Undo')}
                        <span class="unseen"> {name}</span>
                      </Action>
                    )}
                    <button type="button" class="link" onClick={() => onSeen(alike)}>
                      {t('Keep both')}
                      <span class="unseen"> {name}</span>
                    </button>
                  </span>
                </div>
              </li>
            )
          })}
        </ul>
      </div>
    </Card>
  )
