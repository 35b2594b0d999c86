/** Reads a body that is a secure container. */
import { toCaptureFacts } from '../../container/capture-facts.ts'
import { type ContainerReader, type OpenedContainer, refused } from '../../container/container-reader.ts'
import type { SpentToken } from '../../container/used-tokens.ts'
import { safeName } from '../../contract/full/original-name.ts'
import { openMedium } from '../../media/opened-medium.ts'
import { loopTurns } from '../../queue/loop-turns.ts'
import type { SubmittedMedium } from '../../records/folder.ts'
import type { Metadata } from '../../records/medium.ts'
import type { Settings } from '../../settings.ts'
import { type IncomingBody, multipartOverhead, readBody, tooLarge } from '../body.ts'
import { type MediaPayload, readMediumFields, refuseExcessMedia } from './payload-media.ts'

/** How a route accepts containers. */
export interface ContainerIntake {
  reader: Pick<ContainerReader, 'open'>
  nowMs(): number
  /** Whether the caller proved the company of the request: session tokens must then be of the same. */
  isCompanyProven: boolean
  /** Called with a container whose session token has expired, before it is refused. */
  onExpired?(container: OpenedContainer, companyId: string | null): Promise<void>
}

/** An opened container, whose session tokens may be used for the request. */
interface AdmittedContainer {
  companyId: string | null
  json: Metadata
  spends: readonly SpentToken[]
  /** The media with their fields of the payload. */
  mediaOf(payload: MediaPayload): Promise<SubmittedMedium[]>
}

/** The company of a request, which no session token may contradict. */
function settleCompany(
  { sessions }: OpenedContainer,
  companyId: string | null,
  isProven: boolean,
): string | null {
  const named = sessions.map((session) => session.companyId)
  const settled = companyId ?? (isProven ? null : (named.find((id) => id !== null) ?? null))
  const isForeign = (id: string | null): boolean => id !== settled && (isProven || id !== null)
  if (named.some(isForeign)) throw refused('The session token is of another company')
  return settled
}

function sumOf({ media }: OpenedContainer): number {
  return media.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/**
 * Opens the container of a request and checks whose it is.
 * @throws {AppError} as `ContainerReader.open`; `container_unreadable` for a session token that has expired or is of another
 *   company; `body_too_large`; `value_invalid` for too many media
 */
export async function readContainer(
  incoming: IncomingBody,
  settings: Pick<Settings, 'attachmentMegabytesMax' | 'attachmentCountMax'>,
  companyId: string | null,
  door: ContainerIntake,
): Promise<AdmittedContainer> {
  const bytesMax = settings.attachmentMegabytesMax * 2 ** 20
  const body = await readBody(incoming, bytesMax + multipartOverhead, (bytes) => tooLarge(bytes, bytesMax))
  const container = await door.reader.open(body)
  const company = settleCompany(container, companyId, door.isCompanyProven)
  const { media, payload, sessions } = container
  const bytes = sumOf(container)
  if (bytes > bytesMax) throw tooLarge(bytes, bytesMax)
  refuseExcessMedia(media.length, settings)
  if (container.isExpired) {
    await door.onExpired?.(container, company)
    throw refused('The session token has expired: get a new one and capture again')
  }
  const nowMs = door.nowMs()
  return {
    companyId: company,
    json: payload,
    spends: sessions.map(({ tokenId, expiresAtMs }) => ({ tokenId, expiresAtMs })),
    async mediaOf(fields) {
      const turn = loopTurns()
      const submitted: SubmittedMedium[] = []
      for (const { name, filename, bytes, tags, evidence, session, isInner } of media) {
        const own = readMediumFields(fields, name)
        const settled = isInner ? tags : (own.tags ?? tags)
        const capture = toCaptureFacts(evidence, session, nowMs)
        const medium = openMedium(bytes)
        submitted.push({
          ...own,
          key: name,
          medium,
          originalName: safeName(filename),
          tags: settled,
          capture,
        })
        await turn()
      }
      return submitted
    },
  }
}
