/** Settings for device models. Reading them needs no token: an app asks before anybody has signed in. */

import { Hono } from 'hono'
import * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { deviceSettingsAnswer, modelSettingsAnswer } from '../../contract/answers/others.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { deviceSettingsFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import {
  modelSchema,
  parseDeviceSettings,
  patternSchema,
  settingsSchema,
} from '../../contract/full/telemetry-bodies.ts'
import { deviceSettingsView } from '../../contract/full/telemetry-views.ts'
import { parseWith } from '../../contract/parse.ts'
import type { Json } from '../../contract/spaced-json.ts'
import { readUnknownNames } from '../../contract/unknown-name.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { clientKey } from '../client-address.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJson } from '../json-body.ts'
import { nameIgnored, readListQuery, readSearch } from '../list-query.ts'
import { requireToken, throttle } from '../middleware/require-token.ts'
import { reply, replyPieces } from '../reply.ts'

const description = describeTag('Telemetry')

/** Browsers' clients add `_` to get past caches. */
const modelNames: ReadonlySet<string> = new Set(['model', '_'])

export const deviceSettingsRoutes = (deps: Deps, { deviceSettings }: PersistentServices) => {
  const token = requireToken(deps)
  return new Hono<AppEnv>()
    .get(
      '/',
      description(
        'Settings of the model in the query; without one, all settings',
        { 200: json('Settings', v.union([modelSettingsAnswer, listOf(deviceSettingsAnswer)])) },
        { access: 'open', list: deviceSettingsFields, query: { model: 'Name of a device model' } },
      ),
      async (c) => {
        await throttle(deps, 'telemetry', clientKey(c, deps))
        const search = readSearch(c)
        if (!search.has('model')) {
          const query = readListQuery(c, deviceSettingsFields, deps.platform.nowMs(), ['model'])
          const { items, total } = await deviceSettings.list(query)
          return replyPieces(c, listPieces(query, { batches: [items], total }, deviceSettingsView))
        }
        nameIgnored(c, readUnknownNames(search.keys(), modelNames))
        const { model } = parseWith(modelSchema, Object.fromEntries(search))
        const { settings, patterns } = await deviceSettings.settingsFor(model)
        return reply(c, { model, settings: settings as Json, patterns })
      },
    )
    .post(
      '/',
      token,
      description(
        'Set the settings of a model, or of a beginning of models',
        { 201: json('The settings', deviceSettingsAnswer) },
        { body: jsonBody(settingsSchema), example: { model: 'X1*', settings: { torch: false } } },
      ),
      async (c) => {
        const { authority } = c.var
        authority.scope('create', 'device_settings')
        const { model, settings } = parseDeviceSettings(await readJson(c))
        return reply(c, deviceSettingsView(await deviceSettings.put(authority, model, settings)), 201)
      },
    )
    .delete(
      '/',
      token,
      description(
        'Remove the settings of a model, or of a beginning of models',
        { 204: 'The settings are removed', 404: 'There are no such settings' },
        { query: { model: 'Name of a device model, or a beginning with *' } },
      ),
      async (c) => {
        const { authority } = c.var
        authority.scope('delete', 'device_settings')
        const { model } = parseWith(patternSchema, Object.fromEntries(readSearch(c)))
        await deviceSettings.remove(authority, model)
        return c.body(null, 204)
      },
    )
}
