/** Parts of a document between `<!-- figures:NAME -->` and `<!-- /figures -->`, which `npm run figures` writes. */

const marked = /(<!-- figures:([\w-]+) -->\n)([\s\S]*?)(<!-- \/figures -->)/g

/** The text of the marked parts, without the blank lines around them. */
export const markedParts = (text: string): Map<string, string> =>
  new Map([...text.matchAll(marked)].map(([, , name, content]) => [name!, content!.trim()]))

/**
 * Replaces the marked parts of a document.
 * @throws {Error} if the document lacks one of the parts, or marks an unknown one
 */
export function writeParts(document: string, text: string, parts: Readonly<Record<string, string>>): string {
  const present = markedParts(text)
  for (const name of Object.keys(parts))
    if (!present.has(name)) throw new Error(`${document} lacks the marks of "figures:${name}"`)
  for (const name of present.keys())
    if (!(name in parts)) throw new Error(`${document} marks "figures:${name}", which nobody writes`)
  return text.replace(
    marked,
    (_, opening: string, name: string, __, closing: string) => `${opening}\n${parts[name]}\n\n${closing}`,
  )
}
