/** What the id of a medium may name besides a medium of a folder. */
import type { Context } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import type { Use } from '../../identity/authority.ts'
import type { AppEnv } from '../app-env.ts'
import { pathId } from '../request-ids.ts'

type Services = Pick<PersistentServices, 'media' | 'persons'>

/** Finds a medium of a folder, or a photo of a person. It throws `AppError` `forbidden` or `not_found`. */
export const mediumFinder =
  ({ media, persons }: Services) =>
  async <U extends Use>(c: Context<AppEnv>, use: U) => {
    const id = pathId(c, 'medium')
    const photo = await persons.findImage(c.var.authority, use, id)
    return photo ? { photo } : { placed: await media.find(c.var.authority, use, id) }
  }

/** The same, or a picture that an analysis took from a medium. */
export const pictureFinder =
  ({ media, persons }: Services) =>
  async <U extends Use>(c: Context<AppEnv>, use: U) => {
    const id = pathId(c, 'medium')
    const photo = await persons.findImage(c.var.authority, use, id)
    if (photo) return { photo }
    const found = await media.findPicture(c.var.authority, use, id)
    return 'image' in found ? { picture: found } : { placed: found }
  }
