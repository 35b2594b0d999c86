/** Calls as commands for a shell. Names of files come from whoever made them. */

/** A text as one word of a shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

// Terminals act on them, also within quotes.
const controls = /\p{Cc}/gu

/** A file as the whole body. */
export const bodyOption = (fileName: string): string =>
  `--data-binary ${quote(`@${fileName.replaceAll(controls, '_')}`)}`

/** A file of a form. curl takes commas and semicolons in names without quotes for further files and options. */
export function fileOption(part: string, fileName: string): string {
  const name = fileName.replaceAll(controls, '_').replaceAll(/["\\]/g, '\\$&')
  return `-F ${quote(`${part}=@"${name}"`)}`
}

/** A text of a form. Other than with `-F`, a leading `@` or `<` and semicolons are parts of the text. */
export const textOption = (part: string, text: string): string =>
  `--form-string ${quote(`${part}=${text.replaceAll(controls, ' ')}`)}`
