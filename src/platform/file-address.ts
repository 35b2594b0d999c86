/** `file:` addresses of local databases, as the driver reads them. */

export const isFileAddress = (url: string): boolean => url.startsWith('file:')

/** The path of a `file:` address, parsed as the driver does. */
export function toFilePath(url: string): string {
  const [place = ''] = url.slice('file:'.length).split(/[?#]/)
  return decodeURIComponent(place.replace(/^\/\/(?:localhost)?(?=\/)/, ''))
}

/** The `file:` address of a path. */
export const toFileAddress = (file: string): string =>
  `file:${file.split('/').map(encodeURIComponent).join('/')}`
