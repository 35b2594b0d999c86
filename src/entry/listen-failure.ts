/** Why a server does not listen. */
import type { Settings } from '../settings.ts'

const listenRemedies: Partial<Record<string, string>> = {
  EADDRINUSE: 'another process uses this port; stop it, or choose another port with PORT',
  AddrInUse: 'another process uses this port; stop it, or choose another port with PORT',
  EACCES: 'this user may not use this port; choose one above 1023 with PORT',
  PermissionDenied: 'this user may not use this port; choose one above 1023 with PORT',
  EADDRNOTAVAIL: 'this machine does not have this address; set HOST',
  AddrNotAvailable: 'this machine does not have this address; set HOST',
  ENOTFOUND: 'there is no such host; set HOST',
}

type Place = Pick<Settings, 'host' | 'port'>

/** Host and port as part of an address. */
export const placeOf = ({ host, port }: Place): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** What failed, and what to do. */
export function explainListenFailure(place: Place, error: unknown): { fault: string; remedy: string } {
  const { code, name, message } = error as { code?: string; name?: string; message?: string }
  const reason = code ?? name ?? 'unknown'
  return {
    fault: `Cannot listen on ${placeOf(place)} (${reason})`,
    remedy: listenRemedies[reason] ?? message ?? 'set HOST and PORT',
  }
}

export function describeListenFailure(place: Place, error: unknown): string {
  const { fault, remedy } = explainListenFailure(place, error)
  return `${fault}: ${remedy}`
}
