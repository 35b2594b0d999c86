/** A Bruno collection: a folder of text files, one for each call. */
import { type Call, type CallBody, signIn } from './calls.ts'

const block = (name: string, lines: readonly string[]): string =>
  `${name} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`

const indented = (text: string): string[] => text.split('\n')

const bodyMode = (body: CallBody | null): string =>
  body === null ? 'none' : { form: 'multipartForm', json: 'json', file: 'file' }[body.kind]

function bodyBlock(body: CallBody): string {
  if (body.kind === 'json') return block('body:json', indented(body.text))
  if (body.kind === 'file') return block('body:file', [`file: @file() @contentType(${body.type})`])
  const payload =
    body.payload === null
      ? []
      : [`payload: ${JSON.stringify(JSON.parse(body.payload))} @contentType(application/json)`]
  return block('body:multipart-form', [...payload, ...body.files.map((name) => `${name}: @file()`)])
}

/** Bruno writes `:folder` for a part of a path. */
const toUrl = (path: string): string => `{{url}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`

function toFile(call: Call, position: number): string {
  const { method, summary, path, pathParts, query, needsToken, body, name } = call
  const blocks = [
    block('meta', [`name: ${summary}`, 'type: http', `seq: ${position + 1}`]),
    block(method.toLowerCase(), [
      `url: ${toUrl(path)}`,
      `body: ${bodyMode(body)}`,
      `auth: ${needsToken ? 'inherit' : 'none'}`,
    ]),
    // A tilde switches a parameter off.
    ...(query.length > 0
      ? [
          block(
            'params:query',
            query.map(({ name }) => `~${name}: `),
          ),
        ]
      : []),
    ...(pathParts.length > 0
      ? [
          block(
            'params:path',
            pathParts.map((part) => `${part}: `),
          ),
        ]
      : []),
    ...(body ? [bodyBlock(body)] : []),
    ...(name === signIn
      ? [block('script:post-response', ["bru.setVar('token', res.body.access_token)"])]
      : []),
  ]
  return blocks.join('\n')
}

/** `POST /api/folders/{folder}/media` → `post-api-folders-folder-media.bru` */
const fileName = ({ name }: Call): string => `${(name.match(/\w+/g) ?? []).join('-').toLowerCase()}.bru`

/** @returns the text of each file, by its path in the folder of the collection */
export function toBruno(calls: readonly Call[], server: string): Map<string, string> {
  const auth = block('auth', ['mode: apikey'])
  const key = block('auth:apikey', ['key: X-Forensic-Access-Token', 'value: {{token}}', 'placement: header'])
  return new Map([
    ['bruno.json', `${JSON.stringify({ version: '1', name: 'Vivace', type: 'collection' }, null, 2)}\n`],
    ['collection.bru', `${auth}\n${key}`],
    ['environments/server.bru', block('vars', [`url: ${server}`])],
    ...calls.map((call, position) => [`${call.group}/${fileName(call)}`, toFile(call, position)] as const),
  ])
}
