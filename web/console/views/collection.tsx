/** One collection: its people, enrolment by dropped photos, search by photo. */

import { useId, useRef, useState } from 'preact/hooks'
import type { Collection as CollectionAnswer, Person } from '../../../client/index.ts'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { type Alike, AlikeList, findAlike } from '../parts/alike.tsx'
import { useAcceptedPictures } from '../parts/drop-zone.tsx'
import { Enrolment } from '../parts/enrolment.tsx'
import { Action, Form, SearchQuery, TextField } from '../parts/forms.tsx'
import { namePerson } from '../parts/hit.tsx'
import { Empty, Pages, pageOf, Show, Time, View } from '../parts/layout.tsx'
import { StoredImage } from '../parts/media.tsx'
import { confirm } from '../parts/notices.tsx'
import { PhotoSearch } from '../parts/photo-search.tsx'
import { asked, goTo } from '../route.ts'
import { api, may, mayStart, session } from '../session.ts'

const pageSize = 48

async function removeCollection(id: string): Promise<void> {
  const asked = {
    title: t('Delete the collection?'),
    text: t('All its people and their photos are removed for ever.'),
    action: t('Delete'),
  }
  if (!(await confirm(asked))) return
  await api('DELETE /api/collections/{collection}', { path: { collection: id } })
  goTo('collections')
}

interface PersonFormProps {
  person: Person
  done(): void
  onAlike(alike: Alike): void
}

/** Another name, and further photos: those that show somebody from another side are found more often. */
function PersonForm({ person, done, onAlike }: PersonFormProps) {
  const [name, setName] = useState(namePerson(person))
  const chosen = useRef<HTMLInputElement>(null)
  const photos = useId()
  const accepted = useAcceptedPictures()
  const save = async () => {
    const path = { collection: person.collection_id, person: person.person_id }
    const files = [...(chosen.current?.files ?? [])]
    // First what may be repeated: a refused photo leaves the form open.
    if (name !== namePerson(person))
      await api('PATCH /api/collections/{collection}/persons/{person}/meta_data', { path, body: { name } })
    if (files.length > 0) {
      const images = await api('POST /api/collections/{collection}/persons/{person}/images', {
        path,
        media: Object.fromEntries(files.map((file, place) => [`photo_${place}`, file])),
      })
      const alike = findAlike(images, files)
      if (alike) {
        const image = { ...path, image: alike.image.media_id }
        const undo = () =>
          api('DELETE /api/collections/{collection}/persons/{person}/images/{image}', { path: image })
        onAlike({ ...alike, name, undo: may('delete', 'person') ? undo : null })
      }
    }
    done()
  }
  return (
    <Form
      submit={t('Save')}
      onSubmit={save}
      more={
        <button type="button" onClick={done}>
          {t('Cancel')}
        </button>
      }
    >
      <TextField label={t('Name of the person')} value={name} onValue={setName} maxLength={200} required />
      <div class="field">
        <label for={photos}>{t('Further photos')}</label>
        <input ref={chosen} id={photos} type="file" multiple accept={accepted} />
      </div>
    </Form>
  )
}

interface PersonItemProps extends Pick<PersonFormProps, 'person' | 'onAlike'> {
  reload(): void
}

function PersonItem({ person, reload, onAlike }: PersonItemProps) {
  const { person_id, collection_id, images, time_created } = person
  const [isChanging, setChanging] = useState(false)
  const remove = async () => {
    const asked = {
      title: t('Remove {name}?', { name: namePerson(person) }),
      text: t('The person is no longer found, and the photos are removed for ever.'),
      action: t('Remove'),
    }
    if (!(await confirm(asked))) return
    const path = { collection: collection_id, person: person_id }
    await api('DELETE /api/collections/{collection}/persons/{person}', { path })
    reload()
  }
  const done = () => {
    setChanging(false)
    reload()
  }
  return (
    <li class="person">
      <span class="person-photos">
        {images.slice(0, 3).map(({ media_id, thumb_url }) => (
          <StoredImage key={media_id} link={thumb_url} alt={namePerson(person)} />
        ))}
      </span>
      <span class="person-name">{namePerson(person)}</span>
      <span class="hint">
        <Time at={time_created} />
        {images.length > 1 && ` · ${t('Photos: {count}', { count: images.length })}`}
      </span>
      {isChanging ? (
        <PersonForm person={person} done={done} onAlike={onAlike} />
      ) : (
        <span class="row">
          {may('create', 'person') && (
            <button type="button" class="link" onClick={() => setChanging(true)}>
              {t('Change')}
              <span class="unseen"> {namePerson(person)}</span>
            </button>
          )}
          {may('delete', 'person') && (
            <Action class="link bad" run={remove}>
              {t('Remove')}
              <span class="unseen"> {namePerson(person)}</span>
            </Action>
          )}
        </span>
      )}
    </li>
  )
}

/** A search is a folder of the user's company, and folders are searched for in collections of their company. */
const maySearch = (collection: CollectionAnswer): boolean =>
  may('create', 'folder') &&
  mayStart('COLLECTION') &&
  collection.company_id === session.value?.user.company_id

export function Collection({ id }: { id: string }) {
  const path = { collection: id }
  const loaded = useLoaded((signal) => api('GET /api/collections/{collection}', { path, signal }), [id])
  const [alike, setAlike] = useState<readonly Alike[]>([])
  const onAlike = (one: Alike) => setAlike((before) => [...before, one])
  const page = pageOf()
  const search = asked('search') ?? undefined
  const people = useLoaded(
    (signal) =>
      api('GET /api/collections/{collection}/persons', {
        path,
        query: { limit: pageSize, offset: page * pageSize, search_text: search },
        signal,
      }),
    [id, page, search],
  )
  return (
    <View
      title={loaded.data?.alias ?? t('Collection')}
      actions={
        loaded.data &&
        may('delete', 'collection') && (
          <Action class="danger" run={() => removeCollection(id)}>
            {t('Delete')}
          </Action>
        )
      }
    >
      {/* One reason is enough where the people cannot be read either. */}
      {(people.problem === null || loaded.data) && (
        <Show of={loaded}>
          {(collection) => (
            <div class="tiles">
              {may('create', 'person') && (
                <Enrolment collectionId={id} onEnrolled={people.reload} onAlike={onAlike} />
              )}
              {maySearch(collection) && (
                <PhotoSearch collectionId={id} rates={collection.technical_meta_data.search ?? []} />
              )}
            </div>
          )}
        </Show>
      )}
      <AlikeList
        of={alike}
        onSeen={(seen) => {
          setAlike((before) => before.filter((one) => one !== seen))
          people.reload()
        }}
      />
      <h2>{t('People')}</h2>
      <search class="people-search">
        <SearchQuery label={t('Name, id or metadata')} name="search" />
      </search>
      <Show of={people}>
        {(persons) => (
          <>
            {persons.length === 0 ? (
              pageOf() === 0 && (
                <Empty>{search ? t('Nobody fits this search.') : t('Nobody is enrolled yet.')}</Empty>
              )
            ) : (
              <ul class="people">
                {persons.map((person) => (
                  <PersonItem
                    key={person.person_id}
                    person={person}
                    reload={people.reload}
                    onAlike={onAlike}
                  />
                ))}
              </ul>
            )}
            <Pages size={pageSize} total={null} shown={persons.length} />
          </>
        )}
      </Show>
    </View>
  )
}
