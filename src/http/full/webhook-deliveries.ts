/** The log of webhook deliveries, and further attempts. These paths are our own, not part of the contract. */

import { Hono } from 'hono'
import * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { deliveryAnswer, queuedDeliveryAnswer } from '../../contract/answers/accounts.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { deliveryFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { seconds, secondsOrNull } from '../../contract/full/media-view.ts'
import { missingMember } from '../../errors.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { reply, replyPieces } from '../reply.ts'

const description = describeTag('Webhooks')

const uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid())
const repetitionSchema = v.object({
  event_id: uuid,
  folder_id: v.nullish(uuid),
  capture_link_id: v.nullish(uuid),
})

export const deliveryRoutes = ({ platform }: Deps, { webhooks }: PersistentServices) =>
  new Hono<AppEnv>()
    .get(
      '/',
      description(
        'Attempts at deliveries',
        { 200: json('A page of the log', listOf(deliveryAnswer)) },
        { list: deliveryFields },
      ),
      async (c) => {
        const scope = c.var.authority.list('delivery_log')
        const query = readListQuery(c, deliveryFields, platform.nowMs())
        const { items, total } = await webhooks.deliveries(query, scope)
        return replyPieces(
          c,
          listPieces(
            query,
            { batches: [items], total },
            ({
              eventId,
              folderId,
              linkId,
              state,
              attempt,
              status,
              reason,
              atMs,
              isLast,
              retryAtMs,
              url,
            }) => ({
              event_id: eventId,
              folder_id: folderId,
              capture_link_id: linkId,
              link_state: state,
              attempt,
              status,
              error: reason,
              is_last: isLast,
              url,
              time_created: seconds(atMs),
              time_retry: secondsOrNull(retryAtMs),
            }),
          ),
        )
      },
    )
    .post(
      '/',
      description(
        'Send an event of the log once more, to the present address of its folder or link',
        { 201: json('The attempt that is queued', queuedDeliveryAnswer) },
        {
          body: jsonBody(repetitionSchema),
          example: {
            event_id: '3a4e7f0e-6f1b-4c3c-9f0e-2a7c5d9b1e60',
            folder_id: '8c1f2b9a-5d0e-4b8a-a3d7-6e4f9c2b7d15',
          },
        },
      ),
      async (c) => {
        const { authority } = c.var
        authority.scope('create', 'delivery_log')
        const { event_id, folder_id, capture_link_id } = await readJsonAs(c, repetitionSchema)
        const of = folder_id ? { folderId: folder_id } : capture_link_id ? { linkId: capture_link_id } : null
        if (!of) throw missingMember('folder_id', 'folder_id', 'the folder_id or capture_link_id of the log')
        const event = await webhooks.find(authority, of, event_id)
        const attempt = await webhooks.repeat(event)
        const { id, folderId, linkId } = event
        return reply(c, { event_id: id, folder_id: folderId, capture_link_id: linkId, attempt }, 201)
      },
    )
