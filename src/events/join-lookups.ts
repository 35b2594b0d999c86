/**
 * The addresses of a name, of IPv4 and IPv6 together.
 * @throws what a query failed with, if no address is known
 */
export function joinLookups(answers: readonly PromiseSettledResult<string[]>[]): string[] {
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (found.length === 0 && failed) throw failed.reason
  return found
}
