import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { PersistentServices } from '../../../../src/compose/services.ts'
import type { AppEnv, Deps } from '../../../../src/http/app-env.ts'
import { captureLinkRoutes } from '../../../../src/http/full/capture-links.ts'
import { Authority } from '../../../../src/identity/authority.ts'
import { allStartFlags } from '../../../../src/identity/permissions.ts'
import { readSettings } from '../../../../src/settings.ts'

it('a server without pages makes no links', async () => {
  const user = { userId: 'user-1', companyId: 'company-1', userType: 'CLIENT', sessionId: null } as const
  const deps = { settings: readSettings({ SVC_PAGES_ENABLED: 'false' }), platform: {} } as Deps
  const app = new Hono<AppEnv>()
    .use(async (c, next) => {
      c.set('authority', new Authority({ ...user, startFlags: allStartFlags }))
      await next()
    })
    .route('/', captureLinkRoutes(deps, {} as PersistentServices))
  app.onError((error, c) => c.json(error))
  expect(await (await app.request('/', { method: 'POST' })).json()).toMatchObject({ code: 'not_implemented' })
})
