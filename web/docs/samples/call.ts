import { quote } from '../../curl.ts'

/** A call to be shown as a program. */
export interface SampleCall {
  method: string
  url: string
  /** Whether it needs a token, which programs take from the environment: `VIVACE_TOKEN`. */
  isAuthorized: boolean
  /** `Content-Type` of a text or a file; those of forms are made by the program. */
  type: string | null
  body: SampleBody | null
  /** Addresses of files of the body that the server has. */
  downloads: readonly string[]
}

/** A text, a file by its name, or the parts of a form. */
export type SampleBody = { text: string } | { file: string } | { parts: readonly SamplePart[] }

export type SamplePart = { name: string } & ({ text: string } | { file: string })

/** Commands that load files, each after the mark of a comment. */
export const downloadLines = (mark: string, { downloads }: Pick<SampleCall, 'downloads'>): string[] =>
  downloads.map((address) => `${mark}curl -O ${quote(address)}`)

export const tokenHeader = 'X-Forensic-Access-Token'

/** A text between double quotes: what JSON escapes, the other languages escape alike. */
export const quoted = (text: string): string => JSON.stringify(text)

/** A text as it is between two delimiters if the language reads it so, else with escapes. */
export const rawOr = (
  text: string,
  open: string,
  close: string,
  isRaw: boolean,
  otherwise: string,
): string => (isRaw ? open + text + close : otherwise)
