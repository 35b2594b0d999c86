/** Calls every endpoint with every role, on own objects, those of the company, and others; the table has the expected results. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { PersistentServices } from '../../../src/compose/services.ts'
import type { Deps } from '../../../src/http/app-env.ts'
import { authorizeRoutes, sessionTokenRoutes } from '../../../src/http/full/authorize.ts'
import { oidcRoutes } from '../../../src/http/full/oidc.ts'
import { persistentRoutes } from '../../../src/http/full/persistent.ts'
import {
  type Action,
  findMetadataScope,
  findScope,
  isWithin,
  type Owner,
  type Resource,
  type Scope,
} from '../../../src/identity/permissions.ts'
import { isSystemRole, type UserType, userTypes } from '../../../src/identity/roles.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { testedRuntime } from '../../fixtures/server.ts'
import { file, form } from '../client.ts'
import { call, createCompany, createUser, type Signed, signIn, signInAsAdmin, upload } from './service.ts'

/** The object that an endpoint needs, if any. */
type Kind =
  | 'company'
  | 'user'
  | 'folder'
  | 'medium'
  | 'analysis'
  | 'collection'
  | 'person'
  | 'image'
  | 'picture'
  | 'event_session'
  | 'link'
  | 'report'
  | 'template'
  /** A session of a user. */
  | 'sign-in'
  | 'none'

interface Endpoint {
  route: string
  kind: Kind
  /** The required permission; `null` if any signed-in user may call it. */
  right: [resource: Resource, action: Action | 'metadata'] | null
  /** The required permission if the object is the caller itself. */
  rightOnSelf?: [resource: Resource, action: Action]
  body?: object
  /** Whether it removes its object. */
  removes?: boolean
}

const metadata = (path: string, kind: Kind, resource: Resource): Endpoint[] => [
  { route: `GET ${path}`, kind, right: [resource, 'read'] },
  { route: `POST ${path}`, kind, right: [resource, 'metadata'], body: {} },
  { route: `PATCH ${path}`, kind, right: [resource, 'metadata'], body: {} },
  { route: `DELETE ${path}`, kind, right: [resource, 'metadata'] },
]

const endpoints: Endpoint[] = [
  { route: 'GET /authorize/service_token', kind: 'none', right: ['service_token', 'create'] },
  { route: 'GET /authorize/service_token/:user', kind: 'user', right: ['service_token', 'create'] },
  { route: 'GET /authorize/session_token', kind: 'none', right: ['session_token', 'create'] },
  { route: 'POST /authorize/session_token', kind: 'none', right: ['session_token', 'create'] },
  { route: 'POST /companies', kind: 'none', right: ['company', 'create'], body: {} },
  { route: 'GET /companies', kind: 'none', right: ['company', 'read'] },
  { route: 'GET /companies/:company', kind: 'company', right: ['company', 'read'] },
  { route: 'PATCH /companies/:company', kind: 'company', right: ['company', 'update'], body: {} },
  { route: 'DELETE /companies/:company', kind: 'company', right: ['company', 'delete'], removes: true },
  { route: 'GET /companies/:company/webhook_secret', kind: 'company', right: ['webhook_secret', 'read'] },
  { route: 'POST /companies/:company/webhook_secret', kind: 'company', right: ['webhook_secret', 'update'] },
  { route: 'POST /users', kind: 'none', right: ['user', 'create'], body: {} },
  { route: 'GET /users', kind: 'none', right: ['user', 'read'] },
  { route: 'GET /users/me', kind: 'none', right: null },
  { route: 'GET /users/:user', kind: 'user', right: ['user', 'read'] },
  { route: 'PATCH /users/:user', kind: 'user', right: ['user', 'update'], body: {} },
  { route: 'DELETE /users/:user', kind: 'user', right: ['user', 'delete'], removes: true },
  {
    route: 'POST /users/:user/change-password',
    kind: 'user',
    right: ['user', 'update'],
    // Users may change their own.
    rightOnSelf: ['user', 'read'],
    body: {},
  },
  ...['POST', 'PATCH'].map(
    (method): Endpoint => ({
      route: `${method} /users/:user/second_factor`,
      kind: 'user',
      right: ['user', 'update'],
      // Users may change their own.
      rightOnSelf: ['user', 'read'],
      body: {},
    }),
  ),
  {
    route: 'GET /users/:user/sessions',
    kind: 'user',
    right: ['user', 'update'],
    rightOnSelf: ['user', 'read'],
  },
  {
    route: 'DELETE /users/:user/sessions/:session',
    kind: 'sign-in',
    right: ['user', 'update'],
    rightOnSelf: ['user', 'read'],
    removes: true,
  },
  ...metadata('/companies/:company/meta_data', 'company', 'company'),
  ...metadata('/users/:user/meta_data', 'user', 'user'),
  { route: 'POST /folders', kind: 'none', right: ['folder', 'create'] },
  { route: 'GET /folders', kind: 'none', right: ['folder', 'read'] },
  { route: 'GET /folders/:folder', kind: 'folder', right: ['folder', 'read'] },
  { route: 'PATCH /folders/:folder', kind: 'folder', right: ['folder', 'update'], body: {} },
  { route: 'DELETE /folders/:folder', kind: 'folder', right: ['folder', 'delete'], removes: true },
  { route: 'DELETE /folders/:folder/pi', kind: 'folder', right: ['folder', 'delete'], removes: true },
  { route: 'GET /folders/:folder/artifacts', kind: 'folder', right: ['folder', 'read'] },
  { route: 'POST /folders/:folder/media', kind: 'folder', right: ['media', 'create'], body: {} },
  { route: 'POST /folders/:folder/media/request', kind: 'folder', right: ['media', 'create'], body: {} },
  { route: 'POST /folders/:folder/images', kind: 'folder', right: ['media', 'create'], body: {} },
  { route: 'GET /folders/:folder/media', kind: 'folder', right: ['media', 'read'] },
  { route: 'GET /folders/:folder/images', kind: 'folder', right: ['media', 'read'] },
  {
    route: 'DELETE /folders/:folder/images/:medium',
    kind: 'medium',
    right: ['media', 'delete'],
    removes: true,
  },
  { route: 'POST /folders/:folder/analyses', kind: 'folder', right: ['analysis', 'create'], body: {} },
  { route: 'PATCH /folders/:folder/analyses', kind: 'folder', right: ['analysis', 'create'], body: {} },
  { route: 'GET /folders/:folder/analyses', kind: 'folder', right: ['analysis', 'read'] },
  { route: 'GET /folders/:folder/decisions', kind: 'folder', right: ['queue', 'read'] },
  { route: 'GET /queue', kind: 'none', right: ['queue', 'read'] },
  { route: 'POST /queue/next', kind: 'none', right: ['queue', 'update'], body: {} },
  { route: 'POST /queue/:folder', kind: 'folder', right: ['queue', 'update'] },
  { route: 'DELETE /queue/:folder', kind: 'folder', right: ['queue', 'update'] },
  ...metadata('/folders/:folder/meta_data', 'folder', 'folder'),
  { route: 'GET /media/:medium', kind: 'medium', right: ['media', 'read'] },
  { route: 'PATCH /media/:medium', kind: 'medium', right: ['media', 'update'], body: {} },
  { route: 'DELETE /media/:medium', kind: 'medium', right: ['media', 'delete'], removes: true },
  { route: 'GET /media/:medium/snapshot', kind: 'medium', right: ['media', 'read'] },
  { route: 'POST /media/:medium/snapshot', kind: 'medium', right: ['media', 'update'] },
  ...metadata('/media/:medium/meta_data', 'medium', 'media'),
  { route: 'GET /analyses/:analysis', kind: 'analysis', right: ['analysis', 'read'] },
  { route: 'PATCH /analyses/:analysis', kind: 'analysis', right: ['decision', 'update'], body: {} },
  { route: 'DELETE /analyses/:analysis', kind: 'analysis', right: ['analysis', 'delete'], removes: true },
  ...metadata('/analyses/:analysis/meta_data', 'analysis', 'analysis'),
  { route: 'POST /capture_links', kind: 'none', right: ['capture_link', 'create'], body: {} },
  { route: 'GET /capture_links', kind: 'none', right: ['capture_link', 'read'] },
  { route: 'GET /capture_links/:link', kind: 'link', right: ['capture_link', 'read'] },
  { route: 'DELETE /capture_links/:link', kind: 'link', right: ['capture_link', 'delete'], removes: true },
  { route: 'POST /collections', kind: 'none', right: ['collection', 'create'], body: {} },
  { route: 'GET /collections', kind: 'none', right: ['collection', 'read'] },
  { route: 'GET /collections/:collection', kind: 'collection', right: ['collection', 'read'] },
  {
    route: 'DELETE /collections/:collection',
    kind: 'collection',
    right: ['collection', 'delete'],
    removes: true,
  },
  ...metadata('/collections/:collection/meta_data', 'collection', 'collection'),
  {
    route: 'POST /collections/:collection/persons',
    kind: 'collection',
    right: ['person', 'create'],
    body: {},
  },
  { route: 'GET /collections/:collection/persons', kind: 'collection', right: ['person', 'read'] },
  { route: 'GET /collections/:collection/persons/:person', kind: 'person', right: ['person', 'read'] },
  {
    route: 'DELETE /collections/:collection/persons/:person',
    kind: 'person',
    right: ['person', 'delete'],
    removes: true,
  },
  {
    route: 'POST /collections/:collection/persons/:person/images',
    kind: 'person',
    right: ['person', 'create'],
    body: {},
  },
  { route: 'GET /collections/:collection/persons/:person/images', kind: 'person', right: ['person', 'read'] },
  {
    route: 'DELETE /collections/:collection/persons/:person/images/:image',
    kind: 'image',
    right: ['person', 'delete'],
    removes: true,
  },
  { route: 'DELETE /images/:image', kind: 'image', right: ['person', 'delete'], removes: true },
  ...metadata('/collections/:collection/persons/:person/meta_data', 'person', 'person'),
  { route: 'POST /folders/:folder/reports', kind: 'folder', right: ['report', 'create'] },
  { route: 'GET /folders/:folder/reports', kind: 'folder', right: ['report', 'read'] },
  { route: 'GET /reports', kind: 'none', right: ['report', 'read'] },
  { route: 'GET /reports/:report', kind: 'report', right: ['report', 'read'] },
  { route: 'DELETE /reports/:report', kind: 'report', right: ['report', 'delete'], removes: true },
  {
    route: 'POST /report_templates',
    kind: 'none',
    right: ['report_template', 'create'],
    body: { name: 'walk' },
  },
  { route: 'GET /report_templates', kind: 'none', right: ['report_template', 'read'] },
  { route: 'GET /report_templates/:template', kind: 'template', right: ['report_template', 'read'] },
  {
    route: 'PATCH /report_templates/:template',
    kind: 'template',
    right: ['report_template', 'update'],
    body: {},
  },
  {
    route: 'DELETE /report_templates/:template',
    kind: 'template',
    right: ['report_template', 'delete'],
    removes: true,
  },
  { route: 'GET /statistics', kind: 'none', right: ['statistics', 'read'] },
  { route: 'GET /settings', kind: 'none', right: ['settings', 'read'] },
  { route: 'POST /event_sessions', kind: 'none', right: ['event_session', 'create'], body: {} },
  { route: 'GET /event_sessions', kind: 'none', right: ['event_session', 'read'] },
  { route: 'GET /event_sessions/:session', kind: 'event_session', right: ['event_session', 'read'] },
  { route: 'GET /event_sessions/:session/records', kind: 'event_session', right: ['event_session', 'read'] },
  {
    route: 'POST /device_settings',
    kind: 'none',
    right: ['device_settings', 'create'],
    body: { model: 'walk', settings: {} },
  },
  { route: 'DELETE /device_settings?model=walk', kind: 'none', right: ['device_settings', 'delete'] },
  { route: 'GET /webhook_deliveries', kind: 'none', right: ['delivery_log', 'read'] },
  { route: 'POST /webhook_deliveries', kind: 'none', right: ['delivery_log', 'create'], body: {} },
]

/** Routes of media with what else their ids may name: photos of persons, and pictures that analyses took from media. */
const named: Endpoint[] = [
  { route: 'GET /media/:image', kind: 'image', right: ['person', 'read'] },
  { route: 'PATCH /media/:image', kind: 'image', right: ['person', 'update'], body: {} },
  { route: 'GET /media/:image/snapshot', kind: 'image', right: ['person', 'read'] },
  { route: 'POST /media/:image/snapshot', kind: 'image', right: ['person', 'update'] },
  ...metadata('/media/:image/meta_data', 'image', 'person'),
  { route: 'DELETE /media/:image', kind: 'image', right: ['person', 'delete'], removes: true },
  { route: 'GET /media/:picture', kind: 'picture', right: ['media', 'read'] },
  { route: 'GET /media/:picture/snapshot', kind: 'picture', right: ['media', 'read'] },
  { route: 'POST /media/:picture/snapshot', kind: 'picture', right: ['media', 'update'] },
]

/** Routes that need no token of a user. */
const open = [
  'POST /authorize/auth',
  'GET /authorize/oidc',
  'POST /authorize/oidc',
  'POST /authorize/logout',
  'POST /authorize/refresh',
  'GET /device_settings',
  'GET /capture',
  'POST /capture',
  'POST /capture/session_token',
]

/** All registered routes of the persistent service. */
function registered(): string[] {
  const deps = { platform: {}, settings: {}, services: {} } as Deps
  const services = {} as PersistentServices
  const authorize = [
    authorizeRoutes(deps, services),
    oidcRoutes(deps, services),
    sessionTokenRoutes(deps),
  ].flatMap(({ routes }) => routes.map(({ method, path }) => ({ method, path: `/authorize${path}` })))
  const routes = [...authorize, ...persistentRoutes(deps, services).routes]
  const named = routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`)
  return [...new Set(named)].sort()
}

/** The objects of one user. */
interface Belongings {
  owner: Owner
  company: string
  user: string
  folder: string
  filled: string
  medium: string
  picture: string
  analysis: string
  collection: string
  person: string
  image: string
  session: string
  link: string
  report: string
  template: string
  signIn: string
}

/** Kinds that belong to their creator; collections belong to the company. */
const ofFolders: Kind[] = ['link', 'folder', 'medium', 'picture', 'analysis', 'report']
const ofCollections: Kind[] = ['collection', 'person', 'image']
/** Kinds that all users of a company own alike. */
const ofCompanies: Kind[] = ['company', 'event_session', 'template', ...ofCollections]

const places = ['own', 'same company', 'foreign'] as const
type Place = (typeof places)[number]

describe.skipIf(testedRuntime === 'workers')('permissions', () => {
  let admin: Signed
  let picture: Uint8Array
  let face: Uint8Array
  let company: string
  let otherCompany: string
  type User = Awaited<ReturnType<typeof createUser>>
  const actors = new Map<UserType, User>()
  /** By user id. */
  const belongings = new Map<string, Belongings>()
  let colleague: User
  let systemColleague: User
  let stranger: User

  /** A collection of a company with one person in it. */
  async function collectionIn(companyId: string) {
    const alias = crypto.randomUUID()
    const made = await call(admin.token, 'POST', '/api/collections', { alias, company_id: companyId })
    const collection: string = made.json.collection_id
    const persons = `/api/collections/${collection}/persons`
    const { json } = await upload(admin.token, persons, form([file('photo', face)], {}))
    return { collection, person: json.person_id as string, image: json.images[0].media_id as string }
  }

  async function eventSessionIn(companyId: string): Promise<string> {
    const { json } = await call(admin.token, 'POST', '/api/event_sessions', { company_id: companyId })
    return json.session_id
  }

  async function templateIn(companyId: string): Promise<string> {
    const content = { company_id: companyId, name: 'Walk', html: '<p>{{folder.id}}</p>' }
    const { json } = await call(admin.token, 'POST', '/api/report_templates', content)
    return json.template_id
  }

  /** The id of a picture that an analysis of a new folder took. */
  async function pictureOf({ token }: Signed): Promise<string> {
    const { json } = await upload(
      token,
      '/api/folders',
      form([file('photo', face)], { analyses: [{ type: 'quality' }] }),
    )
    return json.analyses[0].results_media[0].output_images[0].media_id
  }

  /**
   * Folders of a user; for a user who may not create any, only the user and the company's collection.
   * @param isWhole whether they have a report and a picture too
   */
  async function belongingsOf(owner: Signed, type: UserType, isWhole = true): Promise<Belongings> {
    const { companyId, userId } = owner
    const bare = {
      owner: { companyId, userId },
      company: companyId,
      user: userId,
      ...(await collectionIn(companyId)),
      session: await eventSessionIn(companyId),
      template: await templateIn(companyId),
      signIn: crypto.randomUUID(),
    }
    if (findScope(type, 'folder', 'create') === null)
      return { ...bare, link: '', folder: '', filled: '', medium: '', picture: '', analysis: '', report: '' }
    const link = await call(owner.token, 'POST', '/api/capture_links', {})
    const empty = await call(owner.token, 'POST', '/api/folders')
    const payload = { analyses: [{ type: 'quality', params: { extract_best_shot: false } }] }
    const { json } = await upload(owner.token, '/api/folders', form([file('photo', picture)], payload))
    await call(owner.token, 'POST', `/api/media/${json.media[0].media_id}/snapshot`)
    const report = isWhole
      ? (await call(owner.token, 'POST', `/api/folders/${json.folder_id}/reports`)).json.report_id
      : ''
    return {
      ...bare,
      link: link.json.capture_link_id,
      folder: empty.json.folder_id,
      filled: json.folder_id,
      medium: json.media[0].media_id,
      picture: isWhole ? await pictureOf(owner) : '',
      analysis: json.analyses[0].analysis_id,
      report,
    }
  }

  beforeAll(async () => {
    // It shows nobody, so its analyses end soon.
    face = await portrait('smiling')
    picture = await testCodecs.encodeJpeg({ image: ramp(64, 48), quality: 80 })
    admin = await signInAsAdmin()
    company = await createCompany(admin.token, 'Walk')
    otherCompany = await createCompany(admin.token, 'Walk elsewhere')
    for (const type of userTypes) {
      const user = await createUser(admin.token, isSystemRole(type) ? null : company, type)
      actors.set(type, user)
      belongings.set(user.userId, await belongingsOf(user, type))
    }
    colleague = await createUser(admin.token, company, 'CLIENT')
    systemColleague = await createUser(admin.token, null, 'ADMIN')
    stranger = await createUser(admin.token, otherCompany, 'CLIENT')
    for (const [user, type] of [
      [colleague, 'CLIENT'],
      [systemColleague, 'ADMIN'],
      [stranger, 'CLIENT'],
    ] as const)
      belongings.set(user.userId, await belongingsOf(user, type))
  })

  function ownerAt(place: Place, type: UserType): User {
    if (place === 'own') return actors.get(type)!
    if (place === 'foreign') return stranger
    return isSystemRole(type) ? systemColleague : colleague
  }

  /** An object to remove, created for this call, so that the others stay. */
  async function disposable(kind: Kind, owner: User, type: UserType): Promise<Belongings> {
    const known = belongings.get(owner.userId)!
    if (kind === 'company')
      return {
        ...known,
        company: owner.companyId === otherCompany ? await createCompany(admin.token, 'Gone') : known.company,
      }
    if (ofCollections.includes(kind)) return { ...known, ...(await collectionIn(owner.companyId)) }
    if (kind === 'template') return { ...known, template: await templateIn(owner.companyId) }
    if (kind === 'sign-in') {
      const { email, password } = owner
      const { json } = await call(null, 'POST', '/api/authorize/auth', { credentials: { email, password } })
      return { ...known, signIn: json.token_id }
    }
    if (kind !== 'user') return belongingsOf(owner, type, kind === 'report')
    // Removing oneself is refused for another reason.
    if (owner === actors.get(type)) return known
    const user = await createUser(admin.token, isSystemRole(type) ? null : owner.companyId, type)
    return { ...known, user: user.userId }
  }

  function pathOf({ route, kind }: Endpoint, things: Belongings | null): string {
    const path = `/api${route.slice(route.indexOf(' ') + 1)}`
    if (!things) return path
    return path
      .replace(':company', things.company)
      .replace(':user', things.user)
      .replace(':folder', kind === 'medium' ? things.filled : things.folder)
      .replace(':medium', things.medium)
      .replace(':picture', things.picture)
      .replace(':analysis', things.analysis)
      .replace(':collection', things.collection)
      .replace(':person', things.person)
      .replace(':image', things.image)
      .replace(':session', kind === 'sign-in' ? things.signIn : things.session)
      .replace(':link', things.link)
      .replace(':report', things.report)
      .replace(':template', things.template)
  }

  function scopeFor(type: UserType, { right, rightOnSelf }: Endpoint, isSelf: boolean): Scope | null {
    const asked = isSelf ? (rightOnSelf ?? right) : right
    if (!asked) return 'all'
    const [resource, action] = asked
    return action === 'metadata' ? findMetadataScope(type, resource) : findScope(type, resource, action)
  }

  const ask = async (token: string | null, { route, body }: Endpoint, path: string): Promise<string> => {
    const { status, json } = await call(token, route.slice(0, route.indexOf(' ')), path, body)
    return [401, 403, 404].includes(status) || status >= 500 ? `${status} ${json?.error_code}` : 'within'
  }

  async function walk(type: UserType, endpoint: Endpoint, place: Place) {
    const actor = actors.get(type)!
    const owner = ownerAt(place, type)
    const ownerType = place === 'own' ? type : isSystemRole(type) && place !== 'foreign' ? 'ADMIN' : 'CLIENT'
    const isOfUser = endpoint.kind === 'user' || endpoint.kind === 'sign-in'
    const scope = scopeFor(type, endpoint, isOfUser && place === 'own')
    const isOfAll = ofCompanies.includes(endpoint.kind)
    const object: Owner = isOfAll ? { ...owner, userId: null } : owner
    const isReached = endpoint.kind === 'none' ? scope !== null : isWithin(scope, actor, object)
    const expected = scope === null ? '403 9' : isReached ? 'within' : '404 10'
    const things =
      endpoint.removes && isReached
        ? await disposable(endpoint.kind, owner, ownerType)
        : belongings.get(owner.userId)!
    const got = await ask(actor.token, endpoint, pathOf(endpoint, things))
    const name = `${type} ${endpoint.route} ${place}`
    return { got: `${name}: ${got}`, expected: `${name}: ${expected}` }
  }

  it('permissions are tested for every route', () => {
    const walked = [...open, ...endpoints.map(({ route }) => route.split('?')[0]!)].sort()
    expect(walked).toEqual(registered())
  })

  it.each(userTypes)('are what the table says for %s', async (type) => {
    const ownsNothing = findScope(type, 'folder', 'create') === null
    const outcomes: { got: string; expected: string }[] = []
    for (const endpoint of [...endpoints, ...named]) {
      const isOfFolder = ofFolders.includes(endpoint.kind)
      const asked = places.filter((place) => {
        if (endpoint.kind === 'none') return place === 'own'
        return !(place === 'own' && isOfFolder && ownsNothing)
      })
      outcomes.push(...(await Promise.all(asked.map((place) => walk(type, endpoint, place)))))
    }
    expect(outcomes.map(({ got }) => got)).toEqual(outcomes.map(({ expected }) => expected))
  })

  it.each([
    ['no token', null, '401 6'],
    ['an unknown token', '0a1b', '401 7'],
  ])('permissions refuse %s', async (_, token, expected) => {
    const things = belongings.get(stranger.userId)!
    const outcomes: string[] = []
    for (const endpoint of endpoints)
      outcomes.push(`${endpoint.route}: ${await ask(token, endpoint, pathOf(endpoint, things))}`)
    // The server is open for Instant, whose captures need tokens too.
    const isOpen = (route: string) => token === null && route.endsWith('/session_token')
    expect(outcomes).toEqual(endpoints.map(({ route }) => `${route}: ${isOpen(route) ? 'within' : expected}`))
  })

  it('the role is checked before an id is looked up', async () => {
    const outcomes = async (type: UserType) => {
      const { token } = actors.get(type)!
      const removed = ['folders', 'media', 'analyses', 'collections', 'companies', 'users'].map((path) =>
        call(token, 'DELETE', `/api/${path}/no-id`),
      )
      return (await Promise.all(removed)).map(({ status }) => status)
    }
    expect(await outcomes('ADMIN')).toEqual([404, 404, 404, 404, 404, 404])
    expect(await outcomes('CLIENT')).toEqual([403, 403, 403, 403, 403, 403])
  })

  it('lists contain only what the caller may see', async () => {
    const listed = async (type: UserType, path: string, id: string): Promise<string[]> => {
      const { json } = await call(actors.get(type)!.token, 'GET', `${path}?limit=5000`)
      return json.items.map((item: Record<string, string>) => item[id])
    }
    const folders = [...belongings.values()].filter(({ folder }) => folder !== '')
    for (const type of userTypes) {
      const actor = actors.get(type)!
      const ids = await listed(type, '/api/folders/', 'folder_id')
      for (const { owner, folder } of folders) {
        expect([type, ids.includes(folder)]).toEqual([
          type,
          isWithin(findScope(type, 'folder', 'read'), actor, owner),
        ])
      }
      const reports = await listed(type, '/api/reports/', 'report_id')
      for (const { owner, report } of folders) {
        expect([type, reports.includes(report)]).toEqual([
          type,
          isWithin(findScope(type, 'report', 'read'), actor, owner),
        ])
      }
      const users = await listed(type, '/api/users/', 'user_id')
      for (const { owner, user } of belongings.values())
        expect([type, users.includes(user)]).toEqual([
          type,
          isWithin(findScope(type, 'user', 'read'), actor, owner),
        ])
      const companies = await listed(type, '/api/companies/', 'company_id')
      expect(companies.includes(otherCompany)).toBe(isSystemRole(type))
    }
  })

  it('a password change carries no change that the user may not make', async () => {
    for (const type of ['OPERATOR', 'CLIENT_OPERATOR', 'CLIENT_SERVICE'] as const) {
      const user = await createUser(admin.token, isSystemRole(type) ? null : company, type)
      const change = (body: object) => call(user.token, 'PATCH', `/api/users/${user.userId}`, body)
      expect((await change({ password: 'another one', can_start_analysis_quality: false })).status).toBe(403)
      expect((await change({ password: 'another one', email: 'another@vivace.test' })).status).toBe(403)
      expect((await signIn(user.email, user.password)).userId).toBe(user.userId)
      expect((await change({ password: 'another one', profile: { first_name: 'Nova' } })).status).toBe(200)
    }
  })

  it('a medium cannot be reached through another user’s folder', async () => {
    const manager = actors.get('CLIENT_ADMIN')!
    const { folder } = belongings.get(manager.userId)!
    const { medium } = belongings.get(stranger.userId)!
    const path = `/api/folders/${folder}/images/${medium}`
    expect((await call(manager.token, 'DELETE', path)).status).toBe(404)
    const { filled } = belongings.get(manager.userId)!
    const begun = await call(manager.token, 'POST', `/api/folders/${filled}/analyses`, {
      analyses: [{ type: 'quality', source_media: [medium] }],
    })
    expect([begun.status, begun.json.error_code]).toEqual([400, 4])
  })
})
