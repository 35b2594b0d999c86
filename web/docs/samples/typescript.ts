import { quoted, rawOr, type SampleCall, tokenHeader } from './call.ts'

const raw = (text: string): string => rawOr(text, '`', '`', !/[`\\]|\$\{/.test(text), quoted(text))

const file = (name: string): string => `await openAsBlob(${quoted(name)})`

/** A module for Node, Bun and Deno. */
export function toTypeScript({ method, url, isAuthorized, type, body }: SampleCall): string {
  const hasFile = body && ('file' in body || ('parts' in body && body.parts.some((part) => 'file' in part)))
  const form = body && 'parts' in body ? body.parts : null
  const headers = [
    ...(isAuthorized ? [`    '${tokenHeader}': process.env.VIVACE_TOKEN!,`] : []),
    ...(type ? [`    'Content-Type': ${quoted(type)},`] : []),
  ]
  const appended = (form ?? []).map((part) =>
    'file' in part
      ? `form.append(${quoted(part.name)}, ${file(part.file)}, ${quoted(part.file)})`
      : `form.append(${quoted(part.name)}, ${raw(part.text)})`,
  )
  const sent = !body ? null : 'text' in body ? raw(body.text) : 'file' in body ? file(body.file) : 'form'
  return [
    ...(hasFile ? ["import { openAsBlob } from 'node:fs'", ''] : []),
    ...(form ? ['const form = new FormData()', ...appended, ''] : []),
    `const answer = await fetch(${quoted(url)}, {`,
    `  method: ${quoted(method)},`,
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(sent ? [`  body: ${sent},`] : []),
    '})',
    'console.log(answer.status, await answer.text())',
  ].join('\n')
}
