import { describe, expect, it } from 'vitest'
import {
  actions,
  findMetadataScope,
  findScope,
  isWithin,
  listPermissions,
  mayStart,
  permissions,
  type Resource,
  type StartFlags,
} from '../../../src/identity/permissions.ts'
import { isSystemRole, resolveUserType, userTypes } from '../../../src/identity/roles.ts'

/** The contract's matrix, column by column; `-` is nothing. */
const columns = ['ADMIN', 'OPERATOR', 'CLIENT', 'CLIENT_SERVICE', 'CLIENT_OPERATOR', 'CLIENT_ADMIN'] as const
const matrix = `
  company         | crud all | r all  | r company   | r company   | r company  | ru company
  user            | crud all | r all, u self | ru self | ru self | r company, u self | crud company
  folder          | crud all | ru all, c own | cru own     | cru company | ru company | crud company
  capture_link    | crd all  | r all, cd own | crd own  | crd company | r company  | crd company
  media           | crud all | r all, c own | cru own     | cru company | r company  | crud company
  analysis        | crd all  | r all, c own | cr own      | cr company  | r company  | crd company
  decision        | -        | u all  | -           | -           | u company  | -
  report_template | crud all | r all  | r company   | r company   | r company  | crud company
  report          | crud all | cr all | cr own      | cr company  | cr company | crud company
  queue           | r all    | ru all | -           | -           | ru company | r company
  collection      | crud all | r all  | r company   | r company   | r company  | crud company
  person          | crud all | r all  | r company   | cr company  | r company  | crud company
  service_token   | c all    | -      | -           | c self      | -          | -
  session_token   | c all    | -      | c company   | c company   | c company  | c company
  statistics      | r all    | r all  | -           | -           | r company  | r company
  event_session   | cr all   | r all  | c own       | c company   | r company  | r company
  device_settings | crud all | -      | -           | -           | -          | -
  webhook_secret  | ru all   | -      | -           | -           | -          | ru company
  delivery_log    | cr all   | r all  | -           | -           | r company  | cr company
  settings        | r all    | -      | -           | -           | -          | -
`
const cells = matrix
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [resource, ...grants] = line.split('|').map((cell) => cell.trim())
    return columns.map((role, at) => ({ resource: resource as Resource, role, grant: grants[at] ?? '' }))
  })

describe('the permission table', () => {
  it('has the resources of the matrix and no others', () => {
    const resources = new Set(cells.map(({ resource }) => resource))
    expect(Object.keys(permissions).sort()).toEqual([...resources].sort())
    expect(cells).toHaveLength(20 * userTypes.length)
  })

  it.each(cells)('gives $role on $resource: $grant', ({ resource, role, grant }) => {
    const granted = grant === '-' ? [] : grant.split(', ').map((part) => part.split(' '))
    for (const action of actions) {
      const [, scope] = granted.find(([letters]) => letters!.includes(action.slice(0, 1))) ?? []
      const expected = scope ?? null
      expect(findScope(role, resource, action), action).toBe(expected)
    }
  })

  it('the permission table grants decisions only to operators', () => {
    const deciders = userTypes.filter((role) => findScope(role, 'decision', 'update') !== null)
    expect(deciders).toEqual(['OPERATOR', 'CLIENT_OPERATOR'])
  })

  it('ADMIN may do everything in all companies, except decide', () => {
    // To update the queue is to take a case in order to decide it.
    const missing = listPermissions().filter(({ role, scope }) => role === 'ADMIN' && scope !== 'all')
    expect(missing.map(({ resource, action }) => `${resource} ${action}`)).toEqual([
      'decision update',
      'queue update',
    ])
  })

  it('no client role has access beyond its company', () => {
    const wide = listPermissions().filter(({ role, scope }) => !isSystemRole(role) && scope === 'all')
    expect(wide).toEqual([])
  })

  it('the permission table is listed with refusals, each action once per role', () => {
    const rows = listPermissions()
    const keys = rows.map(({ role, resource, action }) => `${role} ${resource} ${action}`)
    expect(new Set(keys).size).toBe(rows.length)
    for (const row of rows) expect(findScope(row.role, row.resource, row.action)).toBe(row.scope)
    expect(rows).toContainEqual({ role: 'CLIENT', resource: 'folder', action: 'delete', scope: null })
    expect(rows).toContainEqual({ role: 'CLIENT', resource: 'folder', action: 'read', scope: 'own' })
    const names = [...new Set(rows.map(({ resource, action }) => `${resource} ${action}`))]
    expect(names).not.toContain('statistics delete')
    expect(names.filter((name) => name.startsWith('analysis')).sort()).toEqual([
      'analysis create',
      'analysis delete',
      'analysis read',
    ])
  })

  it('metadata may be written by those who may create or update the object, or update its folder', () => {
    expect(findMetadataScope('CLIENT', 'analysis')).toBe('own')
    expect(findMetadataScope('CLIENT', 'user')).toBe('self')
    expect(findMetadataScope('OPERATOR', 'folder')).toBe('all')
    expect(findMetadataScope('OPERATOR', 'media')).toBe('all')
    expect(findMetadataScope('CLIENT_OPERATOR', 'analysis')).toBe('company')
    expect(findMetadataScope('OPERATOR', 'person')).toBeNull()
    expect(findMetadataScope('CLIENT_SERVICE', 'person')).toBe('company')
    expect(findMetadataScope('CLIENT_SERVICE', 'user')).toBe('self')
  })
})

describe('a scope', () => {
  const actor = { userId: 'me', companyId: 'mine' }
  const objects = {
    'of mine': { companyId: 'mine', userId: 'me' },
    'of a colleague': { companyId: 'mine', userId: 'other' },
    'of the company': { companyId: 'mine', userId: null },
    'of a stranger': { companyId: 'foreign', userId: 'other' },
    'of mine elsewhere': { companyId: 'foreign', userId: 'me' },
    'of nobody': { companyId: null, userId: null },
    'of mine without company': { companyId: null, userId: 'me' },
  }

  it.each([
    ['all', Object.keys(objects)],
    ['company', ['of mine', 'of a colleague', 'of the company']],
    ['own', ['of mine']],
    ['self', ['of mine']],
    [null, []],
  ] as const)('%s holds %j', (scope, expected) => {
    const held = Object.entries(objects).filter(([, object]) => isWithin(scope, actor, object))
    expect(held.map(([name]) => name)).toEqual(expected)
  })

  it('an actor without a company has access only by scope all', () => {
    const nowhere = { userId: 'me', companyId: null }
    for (const object of Object.values(objects)) {
      for (const scope of ['company', 'own', 'self'] as const)
        expect(isWithin(scope, nowhere, object)).toBe(false)
      expect(isWithin('all', nowhere, object)).toBe(true)
    }
  })
})

describe('the right to start an analysis', () => {
  const startFlags: StartFlags = {
    verification: true,
    identification: false,
    documents: false,
    liveness: true,
  }

  it.each([
    ['ADMIN', true, true],
    ['OPERATOR', true, false],
    ['CLIENT', true, false],
    ['CLIENT_SERVICE', true, false],
    ['CLIENT_ADMIN', true, false],
    ['CLIENT_OPERATOR', false, false],
  ] as const)('of %s: %s where its flag is on, %s where it is off', (userType, on, off) => {
    expect(mayStart({ userType, startFlags }, 'liveness')).toBe(on)
    expect(mayStart({ userType, startFlags }, 'verification')).toBe(on)
    expect(mayStart({ userType, startFlags }, 'identification')).toBe(off)
    expect(mayStart({ userType, startFlags }, 'documents')).toBe(off)
  })
})

describe('a role', () => {
  it.each([
    [{ user_type: 'CLIENT_SERVICE' }, 'CLIENT_SERVICE'],
    [{ user_type: 'client_admin' }, 'CLIENT_ADMIN'],
    [{ user_type: 'OPERATOR', is_admin: true }, 'OPERATOR'],
    [{ user_type: 'CLIENT', is_service: true }, 'CLIENT'],
    [{ is_admin: true }, 'CLIENT_ADMIN'],
    [{ is_service: true }, 'CLIENT_SERVICE'],
    [{ is_admin: false, is_service: true }, 'CLIENT_SERVICE'],
    [{ is_admin: true, is_service: true }, 'CLIENT_SERVICE'],
    [{ is_admin: false, is_service: false }, 'CLIENT'],
    [{}, 'CLIENT'],
  ])('the role given as %j is %s', (wanted, expected) => {
    expect(resolveUserType(wanted)).toBe(expected)
  })

  it.each([
    [{}, 'CLIENT_ADMIN', 'CLIENT_ADMIN'],
    [{ is_service: false }, 'CLIENT_ADMIN', 'CLIENT_ADMIN'],
    [{ is_admin: false }, 'CLIENT_ADMIN', 'CLIENT'],
    [{ is_admin: true, is_service: false }, 'CLIENT_SERVICE', 'CLIENT_ADMIN'],
    [{ is_admin: true }, 'ADMIN', 'ADMIN'],
    [{ is_admin: false }, 'ADMIN', 'ADMIN'],
    [{ is_service: true }, 'OPERATOR', 'OPERATOR'],
    [{ is_admin: false, is_service: false }, 'CLIENT_OPERATOR', 'CLIENT_OPERATOR'],
    [{ user_type: 'CLIENT' }, 'CLIENT_ADMIN', 'CLIENT'],
  ] as const)('changed by %j from %s is %s', (wanted, current, expected) => {
    expect(resolveUserType(wanted, current)).toBe(expected)
  })

  it.each(['ROOT', '', 'CLIENT ADMIN', 'constructor', '0'])('named %j is refused', (user_type) => {
    expect(() => resolveUserType({ user_type })).toThrowError(
      expect.objectContaining({ code: 'value_invalid' }),
    )
  })

  it('the system roles are ADMIN and OPERATOR', () => {
    expect(userTypes.filter(isSystemRole)).toEqual(['ADMIN', 'OPERATOR'])
  })
})
