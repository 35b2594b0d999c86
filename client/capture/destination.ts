/** Where captures go: Instant calls that store nothing, kept folders, or the link whose secret is the token. */
export type Destination = 'instant' | 'folders' | 'link'

/** The calls that send captures. */
export const sending = {
  instant: 'POST /api/instant/folders',
  folders: 'POST /api/folders',
  link: 'POST /api/capture',
} as const satisfies Record<Destination, string>

/** The destination of an attribute: Instant unless it names another one. */
export const readDestination = (value: string | null): Destination =>
  value === 'folders' || value === 'link' ? value : 'instant'
