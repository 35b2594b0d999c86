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
export function openProvider(
  { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcRolesClaim }: Settings,
  nowMs: () => number,
): OpenIdProvider | null {
  if (issuer === '') return null
  return new OpenIdProvider({ issuer, clientId, clientSecret, rolesClaim: oidcRolesClaim, nowMs })
}

/** @returns `null` unless the settings name a provider */
export function composeOrganisationSignIn(
  { nowMs, monotonicMs, randomId }: Platform,
  settings: Settings,
  { users, companies }: Stores,
  { sessions, secret, onChanged }: { sessions: Sessions; secret: Uint8Array; onChanged(): void },
): OrganisationSignIn | null {
  const provider = openProvider(settings, monotonicMs)
  if (!provider) return null
  const { oidcRoles, oidcRolesClaim, oidcCompany } = settings
  return new OrganisationSignIn({
    ...{ provider, users, companies, sessions, randomBytes, randomId, nowMs, monotonicMs, onChanged },
    flows: new SignInFlows(secret),
    rules: oidcRoles,
    rolesClaim: oidcRolesClaim,
    companyId: oidcCompany,
  })
}
