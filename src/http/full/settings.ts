/** The settings of the service, for its administrators. This path is our own, not part of the contract. */

import { Hono } from 'hono'
import * as v from 'valibot'
import { settingAnswer } from '../../contract/answers/others.ts'
import { describeSettings } from '../../settings.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint, json } from '../describe-endpoint.ts'
import { reply } from '../reply.ts'

const description = describeEndpoint({
  tag: 'System',
  summary: 'Settings of the service, without secrets; they are changed by environment variables',
  answers: { 200: json('The settings', v.array(settingAnswer)) },
})

export const settingsRoutes = ({ settings }: Deps) =>
  new Hono<AppEnv>().get('/', description, (c) => {
    c.var.authority.scope('read', 'settings')
    return reply(
      c,
      describeSettings(settings).map(({ name, description, value, defaultValue, isChanged }) => ({
        name,
        description,
        value,
        default_value: defaultValue,
        is_changed: isChanged,
      })),
    )
  })
