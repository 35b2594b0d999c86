/** What the lists of the full service filter and sort by. */
import { userTypes } from '../../identity/roles.ts'
import type { ListFields } from '../list-query.ts'

const time = { kind: 'time', sortable: true } as const
const resolutions = [
  'INITIAL',
  'PROCESSING',
  'FAILED',
  'FINISHED',
  'DECLINED',
  'OPERATOR_REQUIRED',
  'SUCCESS',
]
const resolution = { kind: 'choice', choices: resolutions, sortable: true } as const
const analysisTypes = { kind: 'choice', choices: ['QUALITY', 'BIOMETRY', 'COLLECTION', 'DOCUMENTS'] } as const
const states = { kind: 'choice', choices: ['PROCESSING', 'FAILED', 'FINISHED'] } as const

const times = { time_created: time, time_updated: time } satisfies ListFields

export const companyFields = {
  ...times,
  company_id: { kind: 'uuid' },
  name: { kind: 'text', sortable: true },
  search_text: { kind: 'search' },
} satisfies ListFields

export const userFields = {
  ...times,
  user_id: { kind: 'uuid' },
  company_id: { kind: 'uuid' },
  user_type: { kind: 'choice', choices: userTypes },
  email: { kind: 'text', sortable: true },
  is_active: { kind: 'boolean' },
  search_text: { kind: 'search' },
} satisfies ListFields

export const folderFields = {
  ...times,
  folder_id: { kind: 'uuid' },
  company_id: { kind: 'uuid' },
  user_id: { kind: 'uuid' },
  resolution_status: resolution,
  system_resolution: resolution,
  operator_status: { kind: 'text' },
  resolution_comment: { kind: 'search' },
  is_cleared: { kind: 'boolean' },
  is_archive: { kind: 'boolean' },
  meta_data: { kind: 'json' },
  search_text: { kind: 'search' },
  'analyse.type': analysisTypes,
  'analyse.state': states,
  'analyse.resolution_status': resolution,
  'analyse.time_created': { kind: 'time' },
  'analyse.results_data': { kind: 'json' },
  results_data: { kind: 'json' },
  results_media_results_data: { kind: 'json' },
} satisfies ListFields

export const analysisFields = {
  ...times,
  type: analysisTypes,
  state: states,
  resolution_status: resolution,
  system_resolution: resolution,
} satisfies ListFields

export const collectionFields = {
  ...times,
  collection_id: { kind: 'uuid' },
  company_id: { kind: 'uuid' },
  alias: { kind: 'text', sortable: true },
  search_text: { kind: 'search' },
} satisfies ListFields

export const personFields = {
  ...times,
  person_id: { kind: 'uuid' },
} satisfies ListFields

export const deliveryFields = {
  time_created: time,
  event_id: { kind: 'uuid' },
  folder_id: { kind: 'uuid' },
  company_id: { kind: 'uuid' },
} satisfies ListFields
