import { describe, expect, it } from 'vitest'
import { findRole } from '../../../src/identity/role-rules.ts'
import { readSettings } from '../../../src/settings.ts'

const { oidcRoles: rules } = readSettings({
  SVC_OIDC_ISSUER: 'https://id.example',
  SVC_OIDC_CLIENT_ID: 'vivace',
  SVC_OIDC_COMPANY: '6F1D9C44-2a0b-4f4c-8c53-1d8c2a7b9e10',
  SVC_OIDC_ROLES:
    'workers=client_operator, cn=staff,ou=face=OPERATOR ,a=b=CLIENT,leads=CLIENT_ADMIN,admins=ADMIN',
})

describe('roles by claims', () => {
  it.each([
    [['workers'], 'CLIENT_OPERATOR'],
    ['workers', 'CLIENT_OPERATOR'],
    [['cn=staff,ou=face', 'leads'], 'OPERATOR'],
    [['a=b', 'workers', 'leads'], 'CLIENT_ADMIN'],
    [['workers', 'admins', 'others'], 'ADMIN'],
    [['a=b'], 'CLIENT'],
    [['Workers'], null],
    ['workers,admins', null],
    [[], null],
    [[['admins']], null],
    [{ admins: true }, null],
    [null, null],
    [undefined, null],
  ])('%j gives %s', (claim, role) => {
    expect(findRole(claim, rules)?.role ?? null).toBe(role)
  })
})
