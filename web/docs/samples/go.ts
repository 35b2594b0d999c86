import { quoted, rawOr, type SampleCall, type SamplePart, tokenHeader } from './call.ts'

const raw = (text: string): string => rawOr(text, '`', '`', !/[`\r]/.test(text), quoted(text))

const addPart = (part: SamplePart): string[] =>
  'file' in part
    ? [
        `\tfile, err := os.Open(${quoted(part.file)})`,
        '\tcheck(err)',
        `\tpart, err := form.CreateFormFile(${quoted(part.name)}, ${quoted(part.file)})`,
        '\tcheck(err)',
        '\t_, err = io.Copy(part, file)',
        '\tcheck(err)',
      ]
    : [`\tcheck(form.WriteField(${quoted(part.name)}, ${raw(part.text)}))`]

/** Of several files each has a block, so that all have the same names. */
const addParts = (parts: readonly SamplePart[]): string[] =>
  parts.flatMap((part) => {
    const lines = addPart(part)
    return 'file' in part ? ['\t{', ...lines.map((line) => `\t${line}`), '\t}'] : lines
  })

/** A file that runs as `go run call.go`. */
export function toGo({ method, url, isAuthorized, type, body }: SampleCall): string {
  const parts = body && 'parts' in body ? body.parts : null
  const file = body && 'file' in body ? body.file : null
  const text = body && 'text' in body ? body.text : null
  const needsOs = isAuthorized || file !== null || parts?.some((part) => 'file' in part)
  const imports = [
    ...(parts ? ['bytes'] : []),
    ...['fmt', 'io'],
    ...(parts ? ['mime/multipart'] : []),
    'net/http',
    ...(needsOs ? ['os'] : []),
    ...(text === null ? [] : ['strings']),
  ]
  const sent = parts
    ? '&body'
    : file !== null
      ? 'body'
      : text === null
        ? 'nil'
        : `strings.NewReader(${raw(text)})`
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func check(err error) {',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '}',
    '',
    'func main() {',
    ...(parts
      ? [
          '\tvar body bytes.Buffer',
          '\tform := multipart.NewWriter(&body)',
          ...addParts(parts),
          '\tcheck(form.Close())',
        ]
      : []),
    ...(file === null ? [] : [`\tbody, err := os.Open(${quoted(file)})`, '\tcheck(err)']),
    `\trequest, err := http.NewRequest(${quoted(method)}, ${quoted(url)}, ${sent})`,
    '\tcheck(err)',
    ...(isAuthorized ? [`\trequest.Header.Set("${tokenHeader}", os.Getenv("VIVACE_TOKEN"))`] : []),
    ...(parts ? ['\trequest.Header.Set("Content-Type", form.FormDataContentType())'] : []),
    ...(type ? [`\trequest.Header.Set("Content-Type", ${quoted(type)})`] : []),
    '\tanswer, err := http.DefaultClient.Do(request)',
    '\tcheck(err)',
    '\tdefer answer.Body.Close()',
    '\ttext, err := io.ReadAll(answer.Body)',
    '\tcheck(err)',
    '\tfmt.Println(answer.StatusCode, string(text))',
    '}',
  ].join('\n')
}
