/** A company for the rows of a table, with a user of every role. */
import type { UserType } from '../../src/identity/roles.ts'
import { createCompany, createUser, type Signed, signInAsAdmin } from '../http/persistent/service.ts'

export interface People {
  admin: Signed
  company: string
  /** CLIENT_ADMIN */
  manager: Signed
  client: Signed
  /** CLIENT_SERVICE */
  service: Signed
  /** CLIENT_OPERATOR */
  reviewer: Signed
  operator: Signed
}

/** @param base address of the server; without one, the server that all tests share */
export async function invite(name: string, base?: string): Promise<People> {
  const admin = await signInAsAdmin(base)
  const company = await createCompany(admin.token, name, base)
  const user = (type: UserType) => createUser(admin.token, company, type, base)
  return {
    ...{ admin, company, manager: await user('CLIENT_ADMIN'), client: await user('CLIENT') },
    ...{ service: await user('CLIENT_SERVICE'), reviewer: await user('CLIENT_OPERATOR') },
    operator: await createUser(admin.token, null, 'OPERATOR', base),
  }
}
