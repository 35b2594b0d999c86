/** What the page `/capture` calls for a link. The secret of the link stands in the header of tokens, and opens nothing else. */
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { spendOnce } from '../../container/used-tokens.ts'
import { sessionTokenAnswer } from '../../contract/answers/accounts.ts'
import { askedAnswer, capturedAnswer } from '../../contract/answers/capture-links.ts'
import { askedView, capturedView } from '../../contract/full/capture-link-view.ts'
import { payloadSchema } from '../../contract/full/payload.ts'
import { AppError, hasCode } from '../../errors.ts'
import type { OpenLink } from '../../folders/capture-link-service.ts'
import { answerOptions } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callContext, clientKey } from '../client-address.ts'
import { containerBody, describeTag, json } from '../describe-endpoint.ts'
import { readToken, throttle } from '../middleware/require-token.ts'
import { recordServerTiming, reply } from '../reply.ts'
import { replacePayload, requireAsked } from '../submission/linked-capture.ts'
import { readSubmission } from '../submission/read-submission.ts'
import { issueSessionToken } from './authorize.ts'
import { openDoor } from './container-intake.ts'

const describe = describeTag('Links', 'token')
const ended = { 404: 'There is no such link', 410: 'The link is used up, has expired or was withdrawn' }
const description = (summary: string, answers: object, more = {}) =>
  describe(summary, { ...answers, ...ended }, more)

export const captureRoutes = (deps: Deps, { captureLinks, forgetRemoved }: PersistentServices) => {
  const { settings, services, platform } = deps
  const options = answerOptions(deps, 'full', false)

  const admit = async (c: Context<AppEnv>): Promise<OpenLink> => {
    const secret = readToken(c)
    if (secret === null) throw new AppError('token_missing')
    try {
      const opened = await captureLinks.admit(secret)
      await throttle(deps, 'rps_with_token', opened.link.id)
      c.set('authority', opened.authority)
      return opened
    } catch (error) {
      if (hasCode(error, 'not_found')) await throttle(deps, 'rest_unauthorized', clientKey(c, deps))
      throw error
    }
  }

  return new Hono<AppEnv>()
    .get(
      '/',
      description('What the link of the secret asks for', { 200: json('What is asked for', askedAnswer) }),
      async (c) => {
        const opened = await admit(c)
        await captureLinks.open(opened)
        return reply(c, askedView(opened.link))
      },
    )
    .post(
      '/session_token',
      description('Token for one sealed capture by a link', { 200: json('The token', sessionTokenAnswer) }),
      async (c) => {
        const { companyId } = (await admit(c)).link
        return reply(c, { session_token: await issueSessionToken(deps, companyId) })
      },
    )
    .post(
      '/',
      description(
        'Send the capture that the link asks for; of its metadata only `vivace_consent` counts',
        { 201: json('What became of it', capturedAnswer) },
        {
          form: {
            payload: v.pick(payloadSchema, ['folder:meta_data', 'media:tags']),
            parts: { video_selfie: 'The clip or photo; the part may have another name' },
          },
          body: containerBody,
          example: { 'media:tags': { video_selfie: ['video_selfie', 'video_selfie_blank'] } },
        },
      ),
      async (c) => {
        const opened = await admit(c)
        const { link } = opened
        const { companyId, userId, mode } = link
        const sent = await readSubmission(c.var.incoming, {
          settings,
          companyId,
          userId,
          replace: (payload) => replacePayload(link, payload, platform.nowMs()),
          containers: openDoor(deps),
        })
        const submission = { ...sent, media: requireAsked(mode, sent.media) }
        const { folder, received } = await spendOnce(services.usedTokens, sent.spends ?? [], () =>
          captureLinks.capture(opened, submission, callContext(c, deps)),
        )
        // What a link was made with goes with its last use.
        await forgetRemoved()
        for (const { assessment } of received) recordServerTiming(c, assessment)
        return reply(c, capturedView(folder, options(c)), 201)
      },
    )
}
