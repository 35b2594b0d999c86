/** The fields that lists of the full service are filtered and sorted by. */
import { normalizeEmail } from '../../email-address.ts'
import { userTypes } from '../../identity/roles.ts'
import { linkStates } from '../../records/capture-link.ts'
import { resolutionWords } from '../answers/parts.ts'
import type { ListFields } from '../list-query.ts'
import { typesByWord, wireTypes } from './analysis-views/registry.ts'

const resolution = { kind: 'choice', choices: resolutionWords, sortable: true } as const
const type = { kind: 'choice', choices: wireTypes, meaning: typesByWord } as const
const states = { kind: 'choice', choices: ['PROCESSING', 'FAILED', 'FINISHED'] } as const

const times = {
  time_created: { reads: 'createdAt', kind: 'time', sortable: true },
  time_updated: { reads: 'updatedAt', kind: 'time', sortable: true },
} satisfies ListFields

export const companyFields = {
  ...times,
  company_id: { reads: 'id', kind: 'uuid' },
  name: { kind: 'text', sortable: true },
  search_text: { reads: 'searchText', kind: 'search' },
} satisfies ListFields

export const userFields = {
  ...times,
  user_id: { reads: 'id', kind: 'uuid' },
  company_id: { reads: 'companyId', kind: 'uuid' },
  user_type: { reads: 'type', kind: 'choice', choices: userTypes },
  email: { kind: 'text', normalize: normalizeEmail, sortable: true },
  is_active: { reads: 'isActive', kind: 'boolean' },
  search_text: { reads: 'searchText', kind: 'search' },
} satisfies ListFields

export const sessionFields = {
  time_created: times.time_created,
  expire_date: { reads: 'expiresAt', kind: 'time', sortable: true },
} satisfies ListFields

export const folderFields = {
  ...times,
  folder_id: { reads: 'id', kind: 'uuid' },
  company_id: { reads: 'companyId', kind: 'uuid' },
  user_id: { reads: 'userId', kind: 'uuid' },
  resolution_status: { reads: 'resolutionStatus', ...resolution },
  system_resolution: { reads: 'systemResolution', ...resolution },
  operator_status: { reads: 'operatorStatus', kind: 'text' },
  resolution_comment: { reads: 'operatorComment', kind: 'search' },
  is_cleared: { reads: 'isCleared', kind: 'boolean', shownAsNull: false },
  is_archive: { reads: 'isArchive', kind: 'boolean' },
  meta_data: { reads: 'metadata', kind: 'json' },
  search_text: { reads: 'searchText', kind: 'search' },
  'analyse.type': { reads: 'analysisType', ...type },
  'analyse.state': { reads: 'analysisState', ...states },
  'analyse.resolution_status': { reads: 'analysisResolution', ...resolution, sortable: false },
  'analyse.time_created': { reads: 'analysisCreatedAt', kind: 'time' },
  'analyse.results_data': { reads: 'documentResults', kind: 'json' },
  results_data: { reads: 'verificationResults', kind: 'json' },
  results_media_results_data: { reads: 'livenessResults', kind: 'json' },
} satisfies ListFields

export const analysisFields = {
  ...times,
  type,
  state: states,
  resolution_status: { reads: 'resolutionStatus', ...resolution },
  system_resolution: { reads: 'systemResolution', ...resolution },
} satisfies ListFields

export const collectionFields = {
  ...times,
  collection_id: { reads: 'id', kind: 'uuid' },
  company_id: { reads: 'companyId', kind: 'uuid' },
  alias: { kind: 'text', sortable: true },
  search_text: { reads: 'searchText', kind: 'search' },
} satisfies ListFields

export const personFields = {
  ...times,
  person_id: { reads: 'id', kind: 'uuid' },
  search_text: { reads: 'searchText', kind: 'search' },
} satisfies ListFields

export const captureLinkFields = {
  state: { kind: 'choice', choices: linkStates },
  time_created: times.time_created,
  time_expires: { reads: 'expiresAt', kind: 'time', sortable: true },
  capture_link_id: { reads: 'id', kind: 'uuid' },
  company_id: { reads: 'companyId', kind: 'uuid' },
  user_id: { reads: 'userId', kind: 'uuid' },
} satisfies ListFields

export const eventSessionFields = {
  ...times,
  session_id: { reads: 'id', kind: 'uuid' },
  company_id: { reads: 'companyId', kind: 'uuid' },
  user_id: { reads: 'userId', kind: 'uuid' },
} satisfies ListFields

export const eventRecordFields = {
  time_created: times.time_created,
  timemark: { reads: 'happenedAt', kind: 'time', sortable: true },
  event: { reads: 'name', kind: 'text' },
} satisfies ListFields

/** Lists of settings have no filters: `model` asks for the settings of one model. */
export const deviceSettingsFields = {
  time_created: { ...times.time_created, operators: [] },
  time_updated: { ...times.time_updated, operators: [] },
  model: { reads: 'pattern', kind: 'text', sortable: true, operators: [] },
} satisfies ListFields

/** Statistics are grouped, so they have only these filters. */
export const statisticsFields = {
  time_created: { ...times.time_created, operators: ['min', 'max'] },
  company_id: { reads: 'companyId', kind: 'uuid', operators: ['in'] },
  type: { ...type, operators: ['in'] },
  system_resolution: {
    reads: 'resolution',
    kind: 'choice',
    choices: ['SUCCESS', 'DECLINED', 'OPERATOR_REQUIRED', 'FAILED'],
    operators: ['in'],
  },
} satisfies ListFields

export const decisionFields = {
  time_created: times.time_created,
} satisfies ListFields

export const reportFields = {
  time_created: times.time_created,
  report_id: { reads: 'id', kind: 'uuid' },
  folder_id: { reads: 'folderId', kind: 'uuid' },
  company_id: { reads: 'companyId', kind: 'uuid' },
  template_id: { reads: 'templateId', kind: 'uuid' },
} satisfies ListFields

export const reportTemplateFields = {
  ...times,
  company_id: { reads: 'companyId', kind: 'uuid' },
  name: { kind: 'text', sortable: true },
} satisfies ListFields

export const deliveryFields = {
  time_created: times.time_created,
  event_id: { reads: 'eventId', kind: 'uuid' },
  folder_id: { reads: 'folderId', kind: 'uuid' },
  capture_link_id: { reads: 'linkId', kind: 'uuid' },
  company_id: { reads: 'companyId', kind: 'uuid' },
} satisfies ListFields
