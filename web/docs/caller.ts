/** A form that makes a call of an operation, sends it and shows the answer. */
import { parseExactJson, writeExactJson } from '../../src/exact-json.ts'
import { copyButton } from '../copy.ts'
import { h } from '../dom.ts'
import { type ApiDocument, type Content, follow, type Parameter, type PlacedOperation } from './document.ts'
import { sampleAddress, sampleChoice } from './sample-choice.ts'
import { type SampleBody, type SampleCall, type SamplePart, tokenHeader } from './samples/call.ts'
import { languages } from './samples/registry.ts'

export const session = { token: '' }

const shownMax = 200_000

interface Request {
  address: string
  method: string
  headers: Record<string, string>
  body: FormData | string | Blob | null
}

/** The inputs of a body of one content type. */
interface BodyInputs {
  element: HTMLElement
  read(): Pick<Request, 'body'> & { type: string | null }
}

function input(id: string, label: string, properties: Parameters<typeof h>[1] = {}) {
  const field = h('input', { id, ...properties })
  return { field, row: h('div', { class: 'field' }, h('label', { for: id }, label), field) }
}

/** A choice for switches, else a field for text: lists have commas, and numbers may be left out. */
function parameterInput(id: string, { name, description = '', required = false, schema }: Parameter) {
  const fieldId = `${id}-${name}`
  if (schema.type === 'boolean') {
    const options = ['', 'true', 'false'].map((value) => h('option', { value }, value))
    const field = h('select', { id: fieldId, title: description }, ...options)
    return { field, row: h('div', { class: 'field' }, h('label', { for: fieldId }, name), field) }
  }
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  return input(fieldId, name, {
    type: 'text',
    ...(isNumber ? { inputmode: schema.minimum === 0 ? 'numeric' : 'text' } : {}),
    autocomplete: 'off',
    placeholder: description,
    required,
  })
}

function textBody(id: string, type: string, { example }: Content): BodyInputs {
  const area = h('textarea', { id, rows: 8, spellcheck: 'false' })
  area.value = example === undefined ? '{}' : JSON.stringify(example, null, 2)
  return {
    element: h('div', { class: 'field' }, h('label', { for: id }, `Body (${type})`), area),
    read: () => ({ type, body: area.value }),
  }
}

/** A field for a file, or a sample: of pictures alone. */
function fileInput(id: string, document: ApiDocument, label: string, multiple = false) {
  const { field, row } = input(id, label, { type: 'file', multiple })
  if (!/octet-stream|template|feature/.test(label)) row.append(sampleChoice(document, label, field))
  return { field, row }
}

function fileBody(id: string, document: ApiDocument, type: string): BodyInputs {
  const { field, row } = fileInput(id, document, `Body (${type})`)
  return { element: row, read: () => ({ type, body: field.files?.[0] ?? null }) }
}

function formBody(id: string, document: ApiDocument, { schema, example }: Content): BodyInputs {
  const { properties = {} } = follow(document, schema)
  const named = Object.keys(properties).filter((name) => name !== 'payload')
  const files = named.map((name) => ({
    name,
    ...fileInput(`${id}-${name}`, document, `File ${name}`, name.endsWith('_n')),
  }))
  const payload = properties.payload
    ? textBody(`${id}-payload`, 'payload', {
        schema: properties.payload,
        example: (example as { payload?: unknown } | undefined)?.payload ?? {},
      })
    : null
  return {
    element: h('div', {}, payload?.element, ...files.map(({ row }) => row)),
    read() {
      const body = new FormData()
      if (payload) body.append('payload', payload.read().body as string)
      for (const { name, field } of files) for (const file of field.files ?? []) body.append(name, file)
      return { type: null, body }
    },
  }
}

function makeBody(id: string, document: ApiDocument, type: string, content: Content): BodyInputs {
  if (type === 'multipart/form-data') return formBody(id, document, content)
  return type === 'application/json' ? textBody(id, type, content) : fileBody(id, document, type)
}

const toParts = (form: FormData): SamplePart[] =>
  [...form].map(([name, value]) =>
    typeof value === 'string' ? { name, text: value } : { name, file: value.name },
  )

function toSampleBody(body: Request['body']): SampleBody | null {
  if (body instanceof FormData) return { parts: toParts(body) }
  if (body instanceof File) return { file: body.name }
  return typeof body === 'string' ? { text: body } : null
}

const filesOf = (body: Request['body']): File[] =>
  (body instanceof FormData ? [...body.values()] : [body]).filter((part) => part instanceof File)

const toSample = ({ address, method, headers, body }: Request): SampleCall => ({
  method,
  url: address,
  isAuthorized: tokenHeader in headers,
  type: headers['Content-Type'] ?? null,
  body: toSampleBody(body),
  downloads: [...new Set(filesOf(body).flatMap((file) => sampleAddress(file) ?? []))],
})

/** The language of all operations that are opened from now on. */
let language = Object.keys(languages)[0]!

/** A choice of languages, and a button that copies the call as a program in it. */
function sampleButtons(read: () => Request, show: (text: string) => Element): HTMLElement[] {
  const choice = h(
    'select',
    { 'aria-label': 'Language of the program' },
    ...Object.keys(languages).map((name) => h('option', { value: name, selected: name === language }, name)),
  )
  const place = h('span', {})
  const showCopy = () => {
    const write = () => languages[language]!(toSample(read()))
    place.replaceChildren(copyButton(`Copy as ${language}`, write, show))
  }
  choice.addEventListener('change', () => {
    language = choice.value
    showCopy()
  })
  showCopy()
  return [choice, place]
}

async function showAnswer(response: Response, ms: number): Promise<HTMLElement> {
  const type = response.headers.get('Content-Type') ?? ''
  const isText = /json|text/.test(type)
  const text = isText
    ? await response.text()
    : `${(await response.blob()).size} bytes of ${type || 'nothing'}`
  let shown = text
  try {
    shown = writeExactJson(parseExactJson(text), 2)
  } catch {
    // Not JSON: shown as it is.
  }
  return h(
    'div',
    {},
    h(
      'p',
      { class: response.ok ? 'status good' : 'status bad' },
      `${response.status} ${response.statusText} · ${Math.round(ms)} ms`,
    ),
    shown === '' ? null : h('pre', { tabindex: 0 }, shown.slice(0, shownMax)),
  )
}

export function makeCaller(document: ApiDocument, operation: PlacedOperation): HTMLElement {
  const { operationId: id, method, path, parameters = [], requestBody, security } = operation
  const fields = parameters.map((parameter) => ({ ...parameter, ...parameterInput(id, parameter) }))
  const kinds = Object.entries(requestBody?.content ?? {}).map(([type, content], place) => ({
    type,
    inputs: makeBody(`${id}-body-${place}`, document, type, content),
  }))
  const place = h('div', {})
  const choice = h(
    'select',
    { id: `${id}-type` },
    ...kinds.map(({ type }) => h('option', { value: type }, type)),
  )
  const current = () => kinds.find(({ type }) => type === choice.value) ?? null
  const showBody = () => place.replaceChildren(...(current() ? [current()!.inputs.element] : []))
  choice.addEventListener('change', showBody)
  showBody()
  const answer = h('div', { class: 'answer', role: 'status' })

  const read = (): Request => {
    const filled = fields
      .filter((field) => field.in === 'path')
      .reduce((text, { name, field }) => text.replace(`{${name}}`, encodeURIComponent(field.value)), path)
    const query = new URLSearchParams(
      fields
        .filter((field) => field.in === 'query' && field.field.value !== '')
        .map(({ name, field }) => [name, field.value]),
    )
    const { type = null, body = null } = current()?.inputs.read() ?? {}
    return {
      address: `${location.origin}${filled}${query.size > 0 ? `?${query}` : ''}`,
      method,
      headers: {
        ...(security.length > 0 && session.token !== '' ? { [tokenHeader]: session.token } : {}),
        ...(type ? { 'Content-Type': type } : {}),
      },
      body,
    }
  }
  let running: AbortController | null = null
  const send = async (event: Event) => {
    event.preventDefault()
    const { address, ...init } = read()
    // The answer to an earlier call must not come over that to a later one.
    running?.abort()
    const mine = new AbortController()
    running = mine
    const cancel = () => {
      mine.abort()
      answer.replaceChildren(h('p', { class: 'hint' }, 'Cancelled.'))
    }
    answer.replaceChildren(
      h(
        'p',
        { class: 'hint' },
        'Sending… ',
        h('button', { type: 'button', class: 'link', click: cancel }, 'Cancel'),
      ),
    )
    const startMs = performance.now()
    try {
      const { signal } = mine
      const response = await fetch(address, { ...init, credentials: 'omit', cache: 'no-store', signal })
      const shown = await showAnswer(response, performance.now() - startMs)
      if (!signal.aborted) answer.replaceChildren(shown)
    } catch {
      if (!mine.signal.aborted)
        answer.replaceChildren(h('p', { class: 'status bad' }, 'The server does not answer.'))
    }
  }
  const samples = sampleButtons(read, (text) => {
    const shown = h('pre', { tabindex: 0 }, text)
    answer.replaceChildren(shown)
    return shown
  })
  const required = fields.filter((field) => field.required)
  const optional = fields.filter((field) => !field.required)
  return h(
    'form',
    { class: 'caller', submit: (event: Event) => void send(event) },
    ...required.map(({ row }) => row),
    optional.length > 0
      ? h(
          'details',
          {},
          h('summary', {}, `${optional.length} optional parameters`),
          ...optional.map(({ row }) => row),
        )
      : null,
    kinds.length > 1
      ? h('div', { class: 'field' }, h('label', { for: `${id}-type` }, 'Content type'), choice)
      : null,
    place,
    h('div', { class: 'row' }, h('button', { type: 'submit', class: 'primary' }, 'Send'), ...samples),
    answer,
  )
}
