/** Boxes of ISO base media files (ISO/IEC 14496-12, 4.2). */
import { fourLetters, type HeaderCursor } from './header-cursor.ts'

export interface Box {
  /** As `fourLetters` gives it. */
  name: number
  content: HeaderCursor
}

/** Size of a box and of its head; `null` if it is damaged. */
function sizesOf(cursor: HeaderCursor): { size: number; head: number } | null {
  const short = cursor.uint32(0)
  const isLong = short === 1
  if (isLong && cursor.left < 16) return null
  const size = isLong ? cursor.uint64(8) : short === 0 ? cursor.left : short
  const head = isLong ? 16 : 8
  return size < head ? null : { size, head }
}

/** Adjacent boxes, up to the end or to a damaged one. */
export function* readBoxes(parent: HeaderCursor): Generator<Box> {
  while (parent.left >= 8) {
    const sizes = sizesOf(parent)
    if (!sizes) return
    yield { name: parent.uint32(4), content: parent.part(sizes.head, sizes.size - sizes.head) }
    parent.skip(sizes.size)
  }
}

/** Contents of adjacent boxes of one kind. */
export function* findBoxes(parent: HeaderCursor, kind: string): Generator<HeaderCursor> {
  const wanted = fourLetters(kind)
  for (const { name, content } of readBoxes(parent)) if (name === wanted) yield content
}

/** The first of the things found. */
export const firstOf = (found: Iterable<HeaderCursor>): HeaderCursor | null => {
  for (const content of found) return content
  return null
}

/** Content of the first box at the end of a path of first boxes. */
export function findBox(parent: HeaderCursor, ...path: readonly string[]): HeaderCursor | null {
  let box: HeaderCursor | null = parent.part(0)
  for (const kind of path) box = box && firstOf(findBoxes(box, kind))
  return box
}

/** Whether a file ends before its last box does. @param cursor at its beginning */
export function isBoxCut(cursor: HeaderCursor): boolean {
  while (cursor.left >= 8) {
    const sizes = sizesOf(cursor)
    if (!sizes) return false
    if (sizes.size > cursor.left) return true
    cursor.skip(sizes.size)
  }
  return cursor.left > 0
}
