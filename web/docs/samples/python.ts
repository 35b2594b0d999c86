import { quoted, rawOr, type SampleCall, type SamplePart, tokenHeader } from './call.ts'

const raw = (text: string): string => rawOr(text, "'''", "'''", !/\\|'''|'$/.test(text), quoted(text))

const file = (name: string): string => `open(${quoted(name)}, "rb")`

const toEntry = (part: SamplePart): string =>
  `        (${quoted(part.name)}, ${'file' in part ? file(part.file) : `(None, ${raw(part.text)})`}),`

/** With the package `requests`. */
export function toPython({ method, url, isAuthorized, type, body }: SampleCall): string {
  const headers = [
    ...(isAuthorized ? [`"${tokenHeader}": os.environ["VIVACE_TOKEN"]`] : []),
    ...(type ? [`"Content-Type": ${quoted(type)}`] : []),
  ]
  const sent = !body
    ? []
    : 'text' in body
      ? [`    data=${raw(body.text)}.encode(),`]
      : 'file' in body
        ? [`    data=${file(body.file)},`]
        : ['    files=[', ...body.parts.map(toEntry), '    ],']
  return [
    ...(isAuthorized ? ['import os', ''] : []),
    'import requests',
    '',
    'answer = requests.request(',
    `    ${quoted(method)},`,
    `    ${quoted(url)},`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...sent,
    '    timeout=60,',
    ')',
    'print(answer.status_code, answer.text)',
  ].join('\n')
}
