/** A collection that is written while the server is killed: acknowledged persons are stored, removed ones are gone. */
import type { Client } from '@libsql/client'
import { pause } from '../../src/queue/timers.ts'
import { answered, type Load, md5 } from './kill-load.ts'
import { type Account, photosForm } from './service.ts'

interface KeptPersons {
  collection: string
  /** MD5 of their photos by id. */
  enrolled: Map<string, string>
  /** Removed and acknowledged. */
  removed: Set<string>
  /** Removal without an answer: the state is unknown. */
  unknown: Set<string>
}

const pauseMs = 100

export async function openList(load: Load, { token }: Account): Promise<KeptPersons> {
  const { json } = await load.service.send(token, 'POST', '/api/collections/', { alias: 'blacklist' })
  return { collection: json.collection_id, enrolled: new Map(), removed: new Set(), unknown: new Set() }
}

/** Enrols persons and removes every third, until stopped. */
export async function runPersons(
  load: Load,
  { token }: Account,
  persons: KeptPersons,
  isOver: () => boolean,
): Promise<void> {
  const target = `/api/collections/${persons.collection}/persons/`
  for (let order = 0; !isOver(); order++) {
    const photo = load.photos[order % load.photos.length]!
    const enrolled = await answered(load, token, 'POST', target, photosForm({ photo }, {}))
    const id: string | undefined = enrolled?.json.person_id
    if (id !== undefined) persons.enrolled.set(id, md5(photo))
    if (id !== undefined && order % 3 === 0) {
      const isRemoved = await answered(load, token, 'DELETE', `${target}${id}`)
      ;(isRemoved ? persons.removed : persons.unknown).add(id)
    }
    await pause(pauseMs)
  }
}

/** Checks over HTTP that acknowledged persons are stored with photos, and removed ones are not. */
export async function checkPersons(
  { service }: Load,
  { token }: Account,
  { collection, enrolled, removed, unknown }: KeptPersons,
  fault: (text: string) => void,
): Promise<void> {
  for (const [id, sum] of enrolled) {
    if (unknown.has(id)) continue
    const { status, json } = await service.send(token, 'GET', `/api/collections/${collection}/persons/${id}`)
    if (removed.has(id)) {
      if (status !== 404) fault('person: removed and still there')
    } else if (status !== 200) fault(`person: ${status}`)
    else {
      const { pathname } = new URL(json.images[0].original_url)
      const file = await fetch(`${service.server.url}${pathname}`)
      if (md5(new Uint8Array(await file.arrayBuffer())) !== sum) fault('person: other bytes')
    }
  }
}

/** Checks that photos and templates match one to one, and that the collection counts them. */
export async function checkTemplates(client: Client, fault: (text: string) => void): Promise<void> {
  const { rows } = await client.execute(`
    select (select count(*) from enrolled_templates) as templates, (select sum(templates) from collections) as counted,
      (select count(*) from persons) as persons,
      (select count(*) from person_images i join enrolled_templates t on t.image_id = i.id) as pairs,
      (select count(*) from person_images) as images,
      (select count(*) from template_removals r join enrolled_templates t on t.number = r.template_number) as undead`)
  const { templates, counted, persons, pairs, images, undead } = rows[0]!
  if (templates !== counted) fault(`a collection counts ${counted} of ${templates} templates`)
  if (templates !== pairs || images !== pairs || persons !== images) fault('a person is there by half')
  if (undead !== 0) fault('a removed template is there')
}
