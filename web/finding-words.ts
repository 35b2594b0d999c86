/** What is known of a field of a document. */
export const findingWords = {
  agrees: 'agrees',
  printed_only: 'printed only',
  not_compared: 'read, not compared',
  not_readable: 'not clearly readable',
  contradicts: 'contradicts',
  expired: 'expired',
} as const
