import { fourLetters, HeaderCursor, threadBudget } from '../../header-cursor.ts'
import { findBox, findBoxes, readBoxes } from '../../iso-boxes.ts'

const auxiliary = fourLetters('auxl')
/** The name of a box that readers pass over. */
const unused = Uint8Array.from('free', (letter) => letter.charCodeAt(0))

/**
 * Hides the pictures that describe another one, in place. Decoders would decode its transparency as well: a picture of any size, made of any
 * number of tiles, which nothing here needs.
 */
export function hideAuxiliary(file: Uint8Array): void {
  const meta = findBox(new HeaderCursor(file, threadBudget()), 'meta')?.part(4)
  if (!meta) return
  for (const list of findBoxes(meta, 'iref')) {
    const references = list.part(4)
    // It stands at the beginning of each box in turn.
    for (const { name } of readBoxes(references)) if (name === auxiliary) references.bytes(4, 4).set(unused)
  }
}
