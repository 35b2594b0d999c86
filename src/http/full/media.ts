import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { spendOnce } from '../../container/used-tokens.ts'
import { mediumAnswer, outputImageAnswer, snapshotAnswer } from '../../contract/answers/folders.ts'
import { personImageAnswer } from '../../contract/answers/others.ts'
import { outputImageView } from '../../contract/full/analysis-view.ts'
import { personImageView, photoSnapshotView } from '../../contract/full/collection-view.ts'
import { mediumChangeSchema } from '../../contract/full/folder-bodies.ts'
import { slicePage } from '../../contract/full/list-view.ts'
import { mediumView, snapshotView, type ViewOptions } from '../../contract/full/media-view.ts'
import { payloadOfFolder } from '../../contract/full/payload.ts'
import { patchFields, refuseExcess } from '../../contract/metadata.ts'
import type { Json } from '../../contract/spaced-json.ts'
import { AppError, invariant, missingMember } from '../../errors.ts'
import { type Metadata, snapshotFile } from '../../records/medium.ts'
import { answerOptions } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callContext } from '../client-address.ts'
import { containerBody, describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { reply } from '../reply.ts'
import { pathId } from '../request-ids.ts'
import { noMedia } from '../submission/medium-part.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { openDoor } from './container-intake.ts'
import { mediumFinder, pictureFinder } from './named-media.ts'

const description = describeTag('Media')

/** Media of a folder. Older clients use the paths `/media/request` and `/images`. */
export const folderMediaRoutes = (deps: Deps, { folders, media }: PersistentServices) => {
  const { settings, platform } = deps
  const options = answerOptions(deps, 'full', false)

  const upload = async (c: Context<AppEnv>): Promise<Response> => {
    const { authority, incoming } = c.var
    const folder = await folders.find(authority, 'create', 'media', pathId(c, 'folder'))
    const { companyId, userId } = folder
    const submission = await readSubmission(incoming, {
      settings,
      companyId,
      userId,
      defaults: { analyses: [] },
      containers: openDoor(deps),
    })
    if (submission.spends && !settings.containerAnalysisEnabled)
      throw new AppError('not_allowed', 'Secure containers are switched off (SVC_CONTAINER_ANALYSIS_ENABLED)')
    if (submission.media.length === 0) throw noMedia()
    const records = await spendOnce(deps.services.usedTokens, submission.spends ?? [], () =>
      media.add(folder, submission.media, callContext(c, deps)),
    )
    return reply(
      c,
      records.map((medium) => mediumView(folder, medium, options(c))),
      201,
    )
  }
  const list = async (c: Context<AppEnv>): Promise<Response> => {
    const folder = await folders.find(c.var.authority, 'read', 'media', pathId(c, 'folder'))
    const query = readListQuery(c, {}, platform.nowMs())
    return reply(
      c,
      slicePage(folder.media, query).map((medium) => mediumView(folder, medium, options(c))),
    )
  }
  const addition = (summary: string) =>
    description(
      summary,
      { 201: json('The media', v.array(mediumAnswer)) },
      {
        form: { payload: payloadOfFolder },
        body: containerBody,
        example: { 'media:tags': { selfie: ['photo_selfie'] } },
      },
    )
  return new Hono<AppEnv>()
    .post('/:folder/media', addition('Add media to a folder'), upload)
    .post('/:folder/media/request', addition('Add media to a folder'), upload)
    .post('/:folder/images', addition('Add media to a folder (older name)'), upload)
    .get(
      '/:folder/media',
      description('Media of a folder', { 200: json('The media', v.array(mediumAnswer)) }, { list: {} }),
      list,
    )
    .get(
      '/:folder/images',
      description(
        'Media of a folder (older name)',
        { 200: json('The media', v.array(mediumAnswer)) },
        { list: {} },
      ),
      list,
    )
    .delete(
      '/:folder/images/:medium',
      description('Remove a medium (older name)', { 204: 'The medium is removed' }),
      async (c) => {
        const placed = await media.findToRemove(c.var.authority, pathId(c, 'medium'))
        if (placed.folder.id !== pathId(c, 'folder')) throw new AppError('not_found')
        await media.remove(placed)
        return c.body(null, 204)
      },
    )
}

export const mediumRoutes = (deps: Deps, services: PersistentServices) => {
  const { media, persons } = services
  const options = answerOptions(deps, 'full', false)
  const findMedium = mediumFinder(services)
  const findPicture = pictureFinder(services)
  const showSnapshot = (
    { photo, placed, picture }: Awaited<ReturnType<typeof findPicture>>,
    views: ViewOptions,
  ): Json => {
    if (photo) return photoSnapshotView(photo.person, photo.image, views)
    if (placed) {
      const { folder, medium } = placed
      const files = {
        original: snapshotFile(folder.id, medium.id),
        thumbnail: medium.files?.thumbnail ?? null,
      }
      return snapshotView(folder, medium.id, files, views)
    }
    const { folder, image } = picture
    invariant(image.files, 'the pictures of stored analyses have files')
    // It is an upright JPEG already.
    return snapshotView(folder, image.id, image.files, views)
  }

  return new Hono<AppEnv>()
    .get(
      '/:medium',
      description('One medium, photo of a person, or picture of an analysis', {
        200: json(
          'The medium, photo or picture',
          v.union([mediumAnswer, personImageAnswer, outputImageAnswer]),
        ),
      }),
      async (c) => {
        const { photo, placed, picture } = await findPicture(c, 'read')
        if (photo) return reply(c, personImageView(photo.person, photo.image, options(c)))
        if (placed) return reply(c, mediumView(placed.folder, placed.medium, options(c)))
        const { folder, analysis, mediumId, image } = picture
        return reply(c, outputImageView(folder, analysis, mediumId, image, options(c)))
      },
    )
    .patch(
      '/:medium',
      description(
        'Replace the tags of a medium or of a photo of a person, change its metadata, or both',
        { 200: json('The medium or photo', v.union([mediumAnswer, personImageAnswer])) },
        { body: jsonBody(mediumChangeSchema), example: { tags: ['photo_selfie'] } },
      ),
      async (c) => {
        const { photo, placed } = await findMedium(c, 'update')
        const { tags = null, meta_data: fields } = await readJsonAs(c, mediumChangeSchema)
        if (!tags && !fields) throw missingMember('tags')
        const patch = (metadata: Metadata) => refuseExcess(patchFields(metadata, fields ?? {}))
        return photo
          ? reply(c, personImageView(photo.person, await persons.changeImage(photo, tags, patch), options(c)))
          : reply(c, mediumView(placed.folder, await media.change(placed, tags, patch), options(c)))
      },
    )
    .get(
      '/:medium/snapshot',
      description('The snapshot of a medium', { 200: json('The snapshot', snapshotAnswer) }),
      async (c) => {
        const found = await findPicture(c, 'read')
        if (found.photo) await media.ensurePhotoSnapshot(found.photo)
        if (found.placed) await media.ensureSnapshot(found.placed)
        return reply(c, showSnapshot(found, options(c)))
      },
    )
    .post(
      '/:medium/snapshot',
      description('Make the snapshot of a medium again', { 201: json('The snapshot', snapshotAnswer) }),
      async (c) => {
        const found = await findPicture(c, 'update')
        if (found.photo) await media.makePhotoSnapshot(found.photo)
        if (found.placed) await media.makeSnapshot(found.placed)
        return reply(c, showSnapshot(found, options(c)), 201)
      },
    )
    .delete(
      '/:medium',
      description('Remove a medium and the analyses of it', { 204: 'The medium is removed' }),
      async (c) => {
        // Before API 6 this route also removed photos of persons.
        const { authority } = c.var
        const id = pathId(c, 'medium')
        const photo = await persons.findImageToRemove(authority, id)
        await (photo ? persons.removeImage(photo) : media.remove(await media.findToRemove(authority, id)))
        return c.body(null, 204)
      },
    )
}
