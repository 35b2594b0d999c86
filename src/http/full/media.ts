import { type Context, Hono } from 'hono'
import { mediumChangeSchema } from '../../contract/full/folder-bodies.ts'
import { pageOf } from '../../contract/full/list-view.ts'
import { mediumView, snapshotView } from '../../contract/full/media-view.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import { removeImage } from '../../enrolment/withdraw.ts'
import { AppError } from '../../errors.ts'
import { removeMedium } from '../../folders/remove-folder.ts'
import { hasSnapshot, makeSnapshot } from '../../folders/snapshot.ts'
import { submitMedia } from '../../folders/submit.ts'
import { refuseWrongTags } from '../../records/medium.ts'
import { type Stateful, viewOptions } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { readJsonAs } from '../json-body.ts'
import { reply } from '../reply.ts'
import { pathId, reached, requireScope } from './access.ts'
import { folderFor, mediumFor } from './folder-access.ts'
import { submittingParts } from './folder-parts.ts'
import { readSubmission } from './read-submission.ts'

const description = (summary: string) =>
  described({
    tag: 'Media',
    summary,
    answers: { 200: 'The media', 403: 'The role does not allow it', 404: 'There is no such medium' },
  })

/** Media below a folder. `/media/request` and `/images` are what older clients call it. */
export const folderMediaRoutes = (deps: Deps, stateful: Stateful) => {
  const { settings, platform } = deps
  const { media } = stateful
  const options = viewOptions(settings, 'full', false)

  const upload = async (c: Context<AppEnv>): Promise<Response> => {
    const folder = await folderFor(c, stateful, 'media', 'create')
    const { companyId, userId } = folder
    const submission = await readSubmission(c.var.incoming, {
      ...{ settings, companyId, userId },
      defaults: { analyses: [] },
    })
    if (submission.media.length === 0) throw new AppError('value_invalid', 'No media were sent')
    const records = await submitMedia(submittingParts(c, deps, stateful), folder, submission.media)
    return reply(
      c,
      records.map((medium) => mediumView(folder, medium, options)),
      201,
    )
  }
  const list = async (c: Context<AppEnv>): Promise<Response> => {
    const folder = await folderFor(c, stateful, 'media', 'read')
    const query = parseListQuery(new URL(c.req.url).searchParams, {}, platform.nowMs())
    return reply(
      c,
      pageOf(folder.media, query).map((medium) => mediumView(folder, medium, options)),
    )
  }
  return new Hono<AppEnv>()
    .post('/:folder/media', description('Add media to a folder'), upload)
    .post('/:folder/media/request', description('Add media to a folder'), upload)
    .post('/:folder/images', description('Add media to a folder (older name)'), upload)
    .get('/:folder/media', description('Media of a folder'), list)
    .get('/:folder/images', description('Media of a folder (older name)'), list)
    .delete('/:folder/images/:medium', description('Remove a medium (older name)'), async (c) => {
      const { folder, medium } = await mediumFor(c, stateful, 'delete')
      if (folder.id !== pathId(c, 'folder')) throw new AppError('not_found', '')
      await removeMedium({ ...stateful, media, nowMs: platform.nowMs }, folder.id, medium)
      return c.body(null, 204)
    })
}

export const mediumRoutes = ({ settings, platform }: Deps, stateful: Stateful) => {
  const { media } = stateful
  const { nowMs } = platform
  const options = viewOptions(settings, 'full', false)
  return new Hono<AppEnv>()
    .get('/:medium', description('One medium'), async (c) => {
      const { folder, medium } = await mediumFor(c, stateful, 'read')
      return reply(c, mediumView(folder, medium, options))
    })
    .patch('/:medium', description('Replace the tags of a medium'), async (c) => {
      const { folder, medium } = await mediumFor(c, stateful, 'update')
      const { tags } = await readJsonAs(c, mediumChangeSchema)
      refuseWrongTags(tags, medium.original)
      const now = nowMs()
      await media.setTags(medium.id, tags, now)
      return reply(c, mediumView(folder, { ...medium, tags, updatedAtMs: now }, options))
    })
    .get('/:medium/snapshot', description('The snapshot of a medium'), async (c) => {
      const { folder, medium } = await mediumFor(c, stateful, 'read')
      if (!(await hasSnapshot({ ...stateful, nowMs }, folder.id, medium.id)))
        throw new AppError('not_found', '')
      return reply(c, snapshotView(folder, medium, options))
    })
    .post('/:medium/snapshot', description('Make the snapshot of a medium'), async (c) => {
      const { folder, medium } = await mediumFor(c, stateful, 'update')
      await makeSnapshot({ ...stateful, nowMs, assessor: platform.assessor }, folder.id, medium)
      return reply(c, snapshotView(folder, medium, options), 201)
    })
    .delete('/:medium', description('Remove a medium and the analyses of it'), async (c) => {
      const placed = await stateful.persons.findImage(pathId(c, 'medium'))
      if (placed) {
        // Before API 6 photos of persons were removed here too.
        reached(c, requireScope(c, 'person', 'delete'), placed, ({ person }) => ({
          companyId: person.companyId,
          userId: null,
        }))
        await removeImage({ ...stateful, nowMs }, placed)
        return c.body(null, 204)
      }
      const { folder, medium } = await mediumFor(c, stateful, 'delete')
      await removeMedium({ ...stateful, nowMs }, folder.id, medium)
      return c.body(null, 204)
    })
}
