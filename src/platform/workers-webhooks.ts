/** Webhooks of Workers: names are resolved over HTTPS, requests are sent by fetch. */
import type { PinnedPost, PostAnswer } from '../events/deliver.ts'
import { joinLookups } from '../events/join-lookups.ts'

const resolver = 'https://cloudflare-dns.com/dns-query'
const timeoutMs = 5000

/** Record types of addresses, with their numbers. */
const recordTypes = { A: 1, AAAA: 28 }

/** Codes of RFC 1035. */
const [noError, noSuchName] = [0, 3]

interface DnsAnswer {
  Status: number
  Answer?: { type: number; data: string }[]
}

async function query(name: string, type: keyof typeof recordTypes): Promise<string[]> {
  const address = `${resolver}?${new URLSearchParams({ name, type })}`
  const answer = await fetch(address, {
    headers: { Accept: 'application/dns-json' },
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!answer.ok) {
    await answer.body?.cancel()
    throw new Error(`the resolver answered ${answer.status}`)
  }
  const { Status, Answer = [] } = (await answer.json()) as DnsAnswer
  if (Status !== noError && Status !== noSuchName) throw new Error(`the name servers answered ${Status}`)
  return Answer.filter((record) => record.type === recordTypes[type]).map(({ data }) => data)
}

/** Resolves a host name to its IP addresses by DNS over HTTPS. Rejects if DNS does not answer. */
export async function resolveByHttps(name: string): Promise<string[]> {
  return joinLookups(await Promise.allSettled([query(name, 'A'), query(name, 'AAAA')]))
}

/**
 * Posts to a checked address. Workers cannot choose the IP address that a name leads to, so unlike on servers a name whose
 * addresses change after the check is followed; the network of Workers reaches public addresses only. Redirects are not
 * followed, and the response body is not read.
 */
export async function postByFetch({ url, headers, body, timeoutMs: maxMs }: PinnedPost): Promise<PostAnswer> {
  try {
    const signal = AbortSignal.timeout(maxMs)
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    return { status: answer.status }
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return { failure: isLate ? 'timed_out' : 'connection_failed' }
  }
}
