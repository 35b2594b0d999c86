/** A Postman collection (format 2.1). */
import { type Call, type CallBody, type Parameter, signIn } from './calls.ts'

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** Postman writes `:folder` for a part of a path. */
const toPath = (path: string): string[] =>
  path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/')

const toQuery = ({ name, description }: Parameter) => ({ key: name, value: '', description, disabled: true })

function toBody(body: CallBody): object {
  if (body.kind === 'json') return { mode: 'raw', raw: body.text, options: { raw: { language: 'json' } } }
  if (body.kind === 'file') return { mode: 'file', file: { src: null } }
  const files = body.files.map((key) => ({ key, type: 'file', src: [] }))
  const payload = { key: 'payload', type: 'text', value: body.payload, contentType: 'application/json' }
  return { mode: 'formdata', formdata: [...(body.payload === null ? [] : [payload]), ...files] }
}

const keepToken = {
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: ["pm.collectionVariables.set('token', pm.response.json().access_token)"],
  },
}

function toItem(call: Call): object {
  const { method, summary, path, pathParts, query, needsToken, body, name } = call
  const segments = toPath(path)
  return {
    name: summary,
    ...(name === signIn ? { event: [keepToken] } : {}),
    request: {
      method,
      ...(needsToken ? {} : { auth: { type: 'noauth' } }),
      header: body?.kind === 'file' ? [{ key: 'Content-Type', value: body.type }] : [],
      url: {
        raw: `{{url}}/${segments.join('/')}`,
        host: ['{{url}}'],
        path: segments,
        ...(pathParts.length > 0 ? { variable: pathParts.map((key) => ({ key, value: '' })) } : {}),
        ...(query.length > 0 ? { query: query.map(toQuery) } : {}),
      },
      ...(body ? { body: toBody(body) } : {}),
    },
  }
}

/** @returns the collection as a JSON value */
export function toPostman(calls: readonly Call[], server: string): object {
  const groups = [...new Set(calls.map(({ group }) => group))]
  return {
    info: { name: 'Vivace', schema },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-Forensic-Access-Token', type: 'string' },
        { key: 'value', value: '{{token}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'url', value: server },
      { key: 'token', value: '' },
    ],
    item: groups.map((name) => ({ name, item: calls.filter(({ group }) => group === name).map(toItem) })),
  }
}
