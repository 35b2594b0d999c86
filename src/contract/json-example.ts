/** Examples of answers for the API reference, made from the schemas of the answers. */

import { shotType } from '../records/file-types.ts'

type Json = Record<string, unknown>

/** The keywords of JSON Schema that tell what a value looks like. */
interface Form {
  $ref?: string
  type?: string
  nullable?: boolean
  enum?: unknown[]
  allOf?: Form[]
  anyOf?: Form[]
  properties?: Record<string, Form>
  required?: string[]
  items?: Form
  minimum?: number
  format?: string
}

const time = 1_763_856_000
const picture = {
  md5: '9e107d9d372bb6826bd81d3542a419d6',
  size: 48_213,
  width: 640,
  height: 480,
  'mime-type': shotType,
}

/** What members of these names hold in an example; a name stands for the same in all answers. */
const valuesByName: Json = {
  ...picture,
  access_token: 'eyJhbGciOiJIUzI1NiJ9.e30.example',
  expire_token: '5f2b…',
  session_token: 'eyJhbGciOiJFZERTQSJ9.e30.example',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  session_id: 4711,
  user_type: 'OPERATOR',
  email: 'anna@example.com',
  first_name: 'Anna',
  last_name: 'Lind',
  alias: 'Guests',
  name: 'Example',
  tags: ['photo_selfie'],
  original_name: 'selfie.jpg',
  original_url: 'https://vivace.example.com/static/8c1f2b9a5d0e4b8a/3a4e7f0e6f1b4c3c.jpg',
  thumb_url: 'https://vivace.example.com/static/8c1f2b9a5d0e4b8a/9f0e2a7c5d9b1e60.jpg',
  report_url: 'https://vivace.example.com/static/8c1f2b9a5d0e4b8a/6e4f9c2b7d15a3d7.pdf',
  html_url: 'https://vivace.example.com/static/8c1f2b9a5d0e4b8a/4b8a5d0e9a2b1f8c.html',
  file_name: 'report.pdf',
  template_name: 'Standard',
  state: 'FINISHED',
  resolution: 'SUCCESS',
  'Folder.resolution_status': 'FINISHED',
  resolution_status: 'SUCCESS',
  resolution_comment: '',
  system_resolution: 'SUCCESS',
  status: 'ok',
  confidence: 0.97,
  confidence_spoofing: 0.0321,
  confidence_replay: 0.0321,
  confidence_liveness: 0.91,
  score: 0.97,
  distance: 0.31,
  normalised_distance: -2.4,
  confs: { threshold_spoofing: 0.5 },
  faces: 1,
  quarter_turns: 0,
  samples: [],
  comparisons: [],
  collection_persons: [],
  output_images: [],
  models: ['yunet 2023mar'],
  error_code: 4,
  error_message: 'Invalid param value',
  code: 'BPE-003002',
  model_profile: 'standard',
  assurance: 'standard',
  cohort: 'fairface-1',
  total_count: 1,
  offset: 0,
  limit: 100,
  size: picture.size,
  bins: [12, 3, 1, 0],
  system_resolutions: { SUCCESS: 14, DECLINED: 2 },
  time_created: time,
  model: 'Pixel 9',
  event: 'capture_started',
  device: { model: 'Pixel 9' },
  settings: { torch: false },
  patterns: ['Pixel*'],
  meta_data_fields: ['transaction_id'],
  components: { database: 'ok' },
  networks: [],
  type: 'QUALITY',
  core: '6.0.1',
  tfss: '6.0.1',
  version: '6.0.1',
  service: 'vivace',
  runtime: 'node',
  profile: 'standard',
  timezone: 'UTC',
  language: 'en',
  licence: { status: 'ok' },
  billing: {},
  filename: 'selfie.jpg',
  message: 'OK',
  description: 'What it is for',
  keys: [{ kty: 'OKP', crv: 'X25519', use: 'enc' }],
}

/** Members that only some objects have, or that have a page of their own in the documents. */
const leftOut = new Set([
  ...['video_id', 'shots_set_id', 'source_video_id', 'source_shots_set_id', 'video', 'duration', 'FPS'],
  ...[
    'clip',
    'capture',
    'detail',
    'reasons',
    'quality',
    'html',
    'user',
    'company',
    'decline_reason',
    'text_fields',
  ],
  ...['document_kind', 'document_format', 'issuing_state', 'mrz_lines', 'validity', 'double_page_spread'],
  ...['hints', 'max_confidence', 'min_confidence'],
])

/** Members of things that have not happened. */
const nothing =
  /^(error|error_code|error_message|error_details|details|group_id|operator_|resolution_(operator|endpoint|time|author_id|state_hash)|is_cleared|previous_|video_url|preview_url|middle_name|decline_reason)/

/** Eight hexadecimal digits that a text determines (FNV-1a). */
function digits(text: string): string {
  let state = 0x811c9dc5
  for (const letter of text) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193)
  return (state >>> 0).toString(16).padStart(8, '0')
}

/** A member of the same name has the same id everywhere. */
const idOf = (name: string): string => `${digits(name)}-6f1b-4c3c-9f0e-${digits(`${name}.`)}1e60`

/** Whether a value has the type that a form asks for. */
function fits(form: Form, value: unknown): boolean {
  if (form.nullable && value === null) return true
  if (form.anyOf) return form.anyOf.some((option) => fits(option, value))
  if (form.enum) return form.enum.includes(value)
  if (value === null) return form.type === undefined
  if (Array.isArray(value))
    return form.type === 'array' && value.every((item) => fits(form.items ?? {}, item))
  if (form.type === 'integer') return Number.isInteger(value)
  return form.type === undefined || typeof value === form.type
}

/** Makes examples for the schemas of a document. */
export class ExampleMaker {
  readonly #schemas: Readonly<Record<string, unknown>>

  /** @param schemas those that references name */
  constructor(schemas: Readonly<Record<string, unknown>>) {
    this.#schemas = schemas
  }

  #object({ properties = {}, required = [] }: Form, owner: string): Json {
    const shown = Object.entries(properties).filter(([name]) => required.includes(name) || !leftOut.has(name))
    return Object.fromEntries(
      shown.map(([name, form]) => [
        name,
        // The older name of the same member.
        valuesByName[`${owner}.${name}`] ?? this.make(form, name === 'analyse_id' ? 'analysis_id' : name),
      ]),
    )
  }

  #number({ minimum = 1 }: Form, name: string): number {
    if (/time|date|^(min|max)$/.test(name)) return time
    return name === 'status' ? 200 : Math.max(1, minimum)
  }

  /**
   * @param name of the member that holds the value
   * @param owner name of the schema, if it has one
   */
  make(given: object, name = '', owner = ''): unknown {
    const form = given as Form
    if (form.$ref) {
      const target = form.$ref.split('/').at(-1)!
      return this.make(this.#schemas[target] as Form, name, target)
    }
    if (nothing.test(name) && fits(form, null)) return null
    if (Object.hasOwn(valuesByName, name) && !form.properties && fits(form, valuesByName[name]))
      return valuesByName[name]
    if (form.enum) return form.enum[0]
    const [part] = form.allOf ?? form.anyOf ?? []
    if (part) return this.make(part, name)
    if (form.type === 'object') return this.#object(form, owner)
    if (form.type === 'array') return form.items ? [this.make(form.items, name)] : []
    if (form.type === 'boolean') return name === 'is_active' || name.startsWith('can_') || name === 'passed'
    if (form.type === 'integer' || form.type === 'number') return this.#number(form, name)
    if (form.type === 'string') return form.format === 'uuid' ? idOf(name) : name
    return null
  }
}
