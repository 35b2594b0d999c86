import { describe, expect, it } from 'vitest'
import { Authority } from '../../../src/identity/authority.ts'
import { allStartFlags } from '../../../src/identity/permissions.ts'
import type { UserType } from '../../../src/identity/roles.ts'

const as = (userType: UserType, companyId: string | null) =>
  new Authority({ userId: 'user', companyId, userType, startFlags: allStartFlags, sessionId: null })

describe('the company that a call is made for', () => {
  it.each([
    ['CLIENT', 'own', null, 'own'],
    ['CLIENT', 'own', 'own', 'own'],
    ['CLIENT', 'own', 'foreign', 'forbidden'],
    ['CLIENT_SERVICE', 'own', null, 'own'],
    ['CLIENT_SERVICE', 'own', 'own', 'own'],
    ['CLIENT_SERVICE', 'own', 'foreign', 'forbidden'],
    ['CLIENT_SERVICE', null, null, null],
    ['CLIENT_SERVICE', null, 'foreign', 'forbidden'],
    ['OPERATOR', 'own', 'foreign', 'forbidden'],
    ['CLIENT_OPERATOR', 'own', null, 'own'],
    ['ADMIN', null, null, null],
    ['ADMIN', null, 'foreign', 'foreign'],
    ['ADMIN', 'own', null, 'own'],
  ] as const)('%s of company %s who names %s calls for %s', (role, company, named, expected) => {
    const act = () => as(role, company).callingFor(named, 'X-Company')
    if (expected === 'forbidden') expect(act).toThrow(expect.objectContaining({ code: 'forbidden' }))
    else expect(act()).toBe(expected)
  })

  it('new objects need a company', () => {
    expect(() => as('ADMIN', null).companyFor('collection', null)).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    )
    expect(as('ADMIN', null).companyFor('collection', 'named')).toEqual({ companyId: 'named' })
    expect(as('CLIENT_ADMIN', 'own').companyFor('collection', null)).toEqual({ companyId: 'own' })
  })
})
