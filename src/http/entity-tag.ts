/** Whether a list of entity tags, such as `If-None-Match`, contains this one (weak comparison of RFC 9110, 13.1.2). */
export function namesTag(list: string | undefined, tag: string): boolean {
  const tags = (list ?? '').split(',').map((item) => item.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(tag)
}
