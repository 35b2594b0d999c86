/** Sign-in by the identity provider of the organisation. */
import { OrganisationSignIn } from '../accounts/organisation-sign-in.ts'
import type { Sessions } from '../accounts/sessions.ts'
import { OpenIdProvider } from '../identity/openid-provider.ts'
import { randomBytes } from '../identity/passwords.ts'
import { SignInFlows } from '../identity/sign-in-flow.ts'
import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import type { Stores } from './stores.ts'

/** @returns `null` unless the settings name a provider */
export function composeOrganisationSignIn(
  { nowMs, monotonicMs, randomId }: Platform,
  settings: Settings,
  { users, companies }: Stores,
  { sessions, secret, onChanged }: { sessions: Sessions; secret: Uint8Array; onChanged(): void },
): OrganisationSignIn | null {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcRoles, oidcRolesClaim, oidcCompany } = settings
  if (oidcIssuer === '') return null
  const provider = new OpenIdProvider({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    rolesClaim: oidcRolesClaim,
    nowMs: monotonicMs,
  })
  return new OrganisationSignIn({
    ...{ provider, users, companies, sessions, randomBytes, randomId, nowMs, monotonicMs, onChanged },
    flows: new SignInFlows(secret),
    rules: oidcRoles,
    rolesClaim: oidcRolesClaim,
    companyId: oidcCompany,
  })
}
