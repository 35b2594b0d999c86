/** Links to `/capture`. These paths are our own, not part of the contract. */
import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { captureLinkAnswer, newLinkAnswer } from '../../contract/answers/capture-links.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { newLinkSchema, parseNewLink } from '../../contract/full/capture-link-bodies.ts'
import { captureLinkView, newLinkView } from '../../contract/full/capture-link-view.ts'
import { captureLinkFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { AppError } from '../../errors.ts'
import { publicAddress } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJson } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { reply, replyPieces } from '../reply.ts'
import { nil, pathId } from '../request-ids.ts'
import { exampleMedium, linkPayload } from '../submission/linked-capture.ts'
import { toSubmission } from '../submission/read-submission.ts'

const description = describeTag('Links')

export const captureLinkRoutes = ({ platform, settings }: Deps, { captureLinks }: PersistentServices) =>
  new Hono<AppEnv>()
    .post(
      '/',
      description(
        'Make a link that takes a capture: for a phone, or for whoever receives it',
        { 201: json('The link, with its address, which is not told again', newLinkAnswer) },
        {
          body: jsonBody(newLinkSchema),
          example: {
            mode: 'clip',
            analyses: [{ type: 'quality' }],
            meta_data: { order: 'A-17' },
            return_url: 'https://shop.example/done',
          },
        },
      ),
      async (c) => {
        const { authority } = c.var
        const creator = authority.creator('capture_link')
        // The link would lead nowhere.
        if (!settings.pagesEnabled) throw new AppError('not_implemented')
        const wanted = parseNewLink(await readJson(c))
        const consent = wanted.consent === null ? null : { text: wanted.consent, sha256: '' }
        const payload = linkPayload({ ...wanted, id: nil, consent }, null, platform.nowMs())
        const submission = await toSubmission(async () => [], payload, { settings, ...creator })
        const { link, secret } = await captureLinks.create(
          authority,
          creator,
          wanted,
          submission,
          exampleMedium(wanted.mode),
        )
        const address = `${publicAddress(c, settings).replace(/\/$/, '')}/capture#link=${secret}`
        return reply(c, newLinkView(link, platform.nowMs(), address), 201)
      },
    )
    .get(
      '/',
      description(
        'List links',
        { 200: json('A page of links', listOf(captureLinkAnswer)) },
        { list: captureLinkFields },
      ),
      async (c) => {
        const scope = c.var.authority.list('capture_link')
        const query = readListQuery(c, captureLinkFields, platform.nowMs())
        const listing = await captureLinks.list(query, scope)
        return replyPieces(
          c,
          listPieces(query, listing, (link) => captureLinkView(link, platform.nowMs())),
        )
      },
    )
    .get('/:link', description('One link', { 200: json('The link', captureLinkAnswer) }), async (c) => {
      const link = await captureLinks.find(c.var.authority, 'read', pathId(c, 'link'))
      return reply(c, captureLinkView(link, platform.nowMs()))
    })
    .delete('/:link', description('Withdraw a link', { 204: 'It takes no captures any more' }), async (c) => {
      await captureLinks.withdraw(await captureLinks.find(c.var.authority, 'delete', pathId(c, 'link')))
      return c.body(null, 204)
    })
