import { bodyOption, fileOption, quote, textOption } from '../../curl.ts'
import { type SampleCall, type SamplePart, tokenHeader } from './call.ts'

const formOption = (part: SamplePart): string =>
  'file' in part ? fileOption(part.name, part.file) : textOption(part.name, part.text)

/** A command for a shell. */
export function toCurl({ method, url, isAuthorized, type, body }: SampleCall): string {
  const lines = [`curl -X ${method} ${quote(url)}`]
  if (isAuthorized) lines.push(`-H "${tokenHeader}: $VIVACE_TOKEN"`)
  if (type) lines.push(`-H ${quote(`Content-Type: ${type}`)}`)
  if (body && 'text' in body) lines.push(`--data-raw ${quote(body.text)}`)
  else if (body && 'file' in body) lines.push(bodyOption(body.file))
  else if (body) lines.push(...body.parts.map(formOption))
  return lines.join(' \\\n  ')
}
