/** Name resolution on Node, Bun and Deno. */
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { joinLookups } from '../events/join-lookups.ts'
import { withTimeout } from '../queue/timers.ts'

/** Per DNS server and attempt. */
const attemptTimeoutMs = 1500
const attempts = 2
const timeoutMs = 5000

const hostsFile = '/etc/hosts'

/** The operator's entries for a name, in the format of hosts(5). */
async function findInHostsFile(name: string): Promise<string[]> {
  const text = await readFile(hostsFile, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return address && names.some((known) => known.toLowerCase() === name.toLowerCase()) ? [address] : []
  })
}

/** A name that does not exist, or has no address of a kind, is no failure. The runtimes spell the codes a little differently. */
function noneIfMissing(error: unknown): string[] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/NOTFOUND|NODATA|NONAME/.test(code)) return []
  throw error
}

/**
 * Makes the function that resolves a host name to all its IP addresses, from the hosts file or by direct DNS queries. It rejects if
 * DNS does not answer. The
 * system's resolver would block the few threads that file access needs too, while DNS servers are silent.
 * @param servers DNS servers to use instead of the system's, for tests
 */
export function openResolver(servers?: readonly string[]): (name: string) => Promise<string[]> {
  return async (name) => {
    const written = await findInHostsFile(name)
    if (written.length > 0) return written
    const resolver = new Resolver({ timeout: attemptTimeoutMs, tries: attempts })
    if (servers) resolver.setServers(servers)
    const asked = Promise.allSettled(
      [resolver.resolve4(name), resolver.resolve6(name)].map((found) => found.catch(noneIfMissing)),
    )
    const answers = await withTimeout(asked, timeoutMs, () => {
      resolver.cancel()
      throw new Error('the host was not resolved in time')
    })
    return joinLookups(answers)
  }
}
