/**
 * Remains of removed rows in pages. The engine overwrites a row that it deletes, but not the copies that stay behind when it moves rows
 * between pages to balance a tree: they lie in the gap of a page, between the list of its cells and their content, which nothing refers
 * to. Format of pages: https://www.sqlite.org/fileformat2.html#b_tree_pages
 */

/** Types of pages of trees, and the length of their headers. */
const headerBytes = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
])

/** From this number of pages on, the first byte of a page that is none of a tree may look like a type: it is part of a page number. */
export const tellablePagesMax = 2 ** 25 - 1

/**
 * Overwrites the gap of a page of a tree with zeros.
 * @param page any page of a database but the first one
 * @returns whether that changed the page
 */
export function clearGap(page: Uint8Array): boolean {
  const header = headerBytes.get(page[0]!)
  if (header === undefined) return false
  const view = new DataView(page.buffer, page.byteOffset, page.length)
  const start = header + 2 * view.getUint16(3)
  // Zero stands for the 65536 of the largest pages.
  const end = view.getUint16(5) || 65536
  if (end > page.length) return false
  let at = start
  while (at < end && page[at] === 0) at++
  if (at >= end) return false
  page.fill(0, at, end)
  return true
}
