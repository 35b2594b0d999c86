/** A list of persons that is written to while the server dies: what was acknowledged is there, template included, or gone. */
import type { Client } from '@libsql/client'
import { answered, type Load, md5, pause } from './kill-load.ts'
import { type Account, photosForm } from './service.ts'

export interface KeptPersons {
  collection: string
  /** MD5 of their photos by id. */
  enrolled: Map<string, string>
  /** Removed, as the callers were told. */
  removed: Set<string>
  /** Removed or not: the answer did not come. */
  unknown: Set<string>
}

const pauseMs = 100

export async function openList(load: Load, { token }: Account): Promise<KeptPersons> {
  const { json } = await load.service.send(token, 'POST', '/api/collections/', { alias: 'blacklist' })
  return { collection: json.collection_id, enrolled: new Map(), removed: new Set(), unknown: new Set() }
}

/** Enrols persons, and removes every third, until it is told to stop. */
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

/** Persons who were acknowledged are there with their photos, those who were removed are not; asked over HTTP. */
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

/** Every photo has one template and every template its photo; the collection counts them right. */
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
