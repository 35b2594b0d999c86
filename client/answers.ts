/** What calls answer. Times are Unix seconds, ids are UUIDs. */
import type { JsonObject, Operations } from './operations.ts'
import type { JsonWebKeySet } from './seal.ts'

export type Resolution =
  | 'INITIAL'
  | 'PROCESSING'
  | 'FAILED'
  | 'FINISHED'
  | 'DECLINED'
  | 'OPERATOR_REQUIRED'
  | 'SUCCESS'

interface Described {
  meta_data: JsonObject
  technical_meta_data: JsonObject
}

interface Timed {
  time_created: number
  time_updated: number
}

export interface PictureInfo {
  md5: string
  size: number
  width: number
  height: number
  'mime-type': string
}

export interface Medium extends Described, Timed {
  media_id: string
  image_id?: string
  video_id?: string
  shots_set_id?: string
  folder_id: string
  company_id: string | null
  media_type: string
  tags: string[]
  original_name: string | null
  original_url: string | null
  thumb_url: string | null
  video_url: string | null
  preview_url: string | null
  info: {
    thumb: PictureInfo
    original?: PictureInfo
    video?: PictureInfo & { duration: number; FPS: number }
  }
  folder_time_created: number | null
}

export interface CollectionHit {
  person_id: string
  collection_id: string
  confidence: number
  person_image_id: string
  media_id: string
}

export interface OutputImage {
  media_id: string
  image_id: string
  media_association_id: string
  folder_id: string
  company_id: string | null
  media_type: string
  tags: string[]
  original_name: string
  original_url: string | null
  thumb_url: string | null
  /** Absent from lists and webhooks. */
  image_b64?: string | null
  info: { thumb: PictureInfo; original: PictureInfo }
  time_created: number
}

export interface ResultMedium {
  company_id: string | null
  media_association_id: string
  analysis_id: string | null
  analyse_id: string | null
  source_media_id: string
  source_image_id?: string
  source_video_id?: string
  source_shots_set_id?: string
  results_data: {
    confidence_spoofing: number
    confidence_replay?: number
    confidence_liveness?: number
  } | null
  output_images: OutputImage[]
  collection_persons: CollectionHit[]
  folder_time_created: number | null
}

export interface Analysis extends Described, Timed {
  analysis_id: string | null
  analyse_id: string | null
  folder_id: string
  company_id: string | null
  group_id: string | null
  type: 'QUALITY' | 'BIOMETRY' | 'COLLECTION' | 'DOCUMENTS'
  state: 'PROCESSING' | 'FAILED' | 'FINISHED'
  resolution: Resolution
  resolution_status: Resolution
  system_resolution: Resolution
  resolution_operator: 'SUCCESS' | 'DECLINED' | null
  resolution_comment: string
  results_data: { confidence_spoofing?: number; max_confidence?: number; min_confidence?: number } | null
  confs: { [name: string]: number | string | boolean | null }
  error_code: number | null
  error_message: string | null
  /** Why the server does not analyse a secure container; absent otherwise. */
  decline_reason?: string | null
  source_media: Medium[]
  results_media: ResultMedium[]
  folder_time_created: number | null
}

export interface Folder extends Described, Timed {
  folder_id: string
  company_id: string | null
  user_id: string | null
  group_id: string | null
  resolution_endpoint: string | null
  resolution_status: Resolution
  resolution_comment: string
  system_resolution: Resolution
  resolution_time: number | null
  resolution_author_id: string | null
  resolution_state_hash: string | null
  operator_status: string | null
  operator_comment: string | null
  is_cleared: boolean | null
  is_archive: boolean
  /** Absent where a list or a query leaves it out. */
  media?: Medium[]
  /** Why the server does not analyse a secure container; absent otherwise. */
  decline_reason?: string | null
  /** With `with_analyses`, and from calls that run them. */
  analyses?: Analysis[]
  user?: User
  company?: Company
}

export interface Company extends Described {
  company_id: string
  name: string
  in_deletion: boolean
}

export type UserType = 'ADMIN' | 'OPERATOR' | 'CLIENT' | 'CLIENT_ADMIN' | 'CLIENT_OPERATOR' | 'CLIENT_SERVICE'

export interface User extends Described {
  user_id: string
  user_type: UserType
  email: string
  first_name: string | null
  last_name: string | null
  middle_name: string | null
  company_id: string | null
  is_active: boolean
  is_admin: boolean
  is_service: boolean
  can_start_analysis_biometry: boolean
  can_start_analysis_collection: boolean
  can_start_analysis_documents: boolean
  can_start_analysis_quality: boolean
  can_start_analyse_biometry: boolean
  can_start_analyse_collection: boolean
  can_start_analyse_documents: boolean
  can_start_analyse_quality: boolean
}

export interface Session {
  access_token: string
  expire_token: string
  expire_date: number
  session_id: number
  token_id: string
  user: User
}

export interface ServiceToken {
  token_id: string
  user_id: string
  access_token: string
  expire_date: number
  session_id: number
}

export interface Collection extends Described, Timed {
  collection_id: string
  company_id: string | null
  alias: string
}

export interface PersonImage extends Described, Timed {
  person_image_id: string
  media_id: string
  image_id: string
  person_id: string
  collection_id: string
  company_id: string | null
  media_type: string
  tags: string[]
  original_name: string | null
  original_url: string | null
  thumb_url: string | null
  info: { thumb: PictureInfo; original: PictureInfo }
}

export interface Person extends Described, Timed {
  person_id: string
  collection_id: string
  company_id: string | null
  images: PersonImage[]
}

export interface Page<Item> {
  offset: number
  limit: number
  /** `null` with `total_omit`. */
  total_count: number | null
  items: Item[]
}

export interface EventSession extends Timed {
  event_session_id: string
  session_id: string
  company_id: string | null
  user_id: string | null
  device: JsonObject
  records_count: number
}

export interface EventRecord {
  session_id: string
  event: string
  timemark: number | null
  time_created: number
  record: JsonObject
}

export interface DeviceSettings extends Timed {
  model: string
  settings: JsonObject
}

export interface WebhookSecret {
  company_id: string
  secret: string
  previous_signs_until: number | null
  time_created: number
}

export interface Versions {
  core: string
  version: string
  service: string
  service_version: string
}

/** Lite: a comparison. */
export interface Comparison {
  score: number
  decision: 'approved' | 'operator_required' | 'declined'
}

export interface NamedComparisons {
  results: (Comparison & { filename: string })[]
}

type Snapshot = {
  media_id: string
  media_type: string
  original_name: string
  original_url: string
  thumb_url: string | null
}

type Metadata<Path extends string> = {
  [Key in `${'GET' | 'POST' | 'PATCH'} ${Path}/meta_data`]: JsonObject
} & { [Key in `DELETE ${Path}/meta_data`]: undefined }

interface KnownAnswers
  extends Metadata<'/api/companies/{company}'>,
    Metadata<'/api/folders/{folder}'>,
    Metadata<'/api/media/{medium}'>,
    Metadata<'/api/analyses/{analysis}'>,
    Metadata<'/api/collections/{collection}'>,
    Metadata<'/api/collections/{collection}/persons/{person}'>,
    Metadata<'/api/users/{user}'> {
  'GET /api/version': Versions
  'GET /api/config': { timezone: string; language: string; container_analysis_enabled: boolean }
  'GET /api/jwks': JsonWebKeySet
  'POST /api/instant/folders': Folder
  'GET /api/authorize/session_token': { session_token: string }
  'POST /api/authorize/session_token': { session_token: string }
  'POST /api/authorize/auth': Session
  'POST /api/authorize/refresh': Session
  'POST /api/authorize/logout': undefined
  'GET /api/authorize/service_token': ServiceToken
  'GET /api/authorize/service_token/{user}': ServiceToken
  'POST /api/companies': Company
  'GET /api/companies': Page<Company>
  'GET /api/companies/{company}': Company
  'PATCH /api/companies/{company}': Company
  'DELETE /api/companies/{company}': undefined
  'GET /api/companies/{company}/webhook_secret': WebhookSecret
  'POST /api/companies/{company}/webhook_secret': WebhookSecret
  'POST /api/users': User
  'GET /api/users': Page<User>
  'GET /api/users/me': User
  'GET /api/users/{user}': User
  'PATCH /api/users/{user}': User
  'DELETE /api/users/{user}': undefined
  'POST /api/users/{user}/change-password': undefined
  'POST /api/folders': Folder
  'GET /api/folders': Page<Folder>
  'GET /api/folders/{folder}': Folder
  'PATCH /api/folders/{folder}': Folder
  'DELETE /api/folders/{folder}': undefined
  'DELETE /api/folders/{folder}/pi': undefined
  'GET /api/folders/{folder}/artifacts': Blob
  'POST /api/folders/{folder}/media': Medium[]
  'GET /api/folders/{folder}/media': Medium[]
  'POST /api/folders/{folder}/media/request': Medium[]
  'POST /api/folders/{folder}/images': Medium[]
  'GET /api/folders/{folder}/images': Medium[]
  'DELETE /api/folders/{folder}/images/{medium}': undefined
  'POST /api/folders/{folder}/analyses': Analysis[]
  'PATCH /api/folders/{folder}/analyses': Analysis[]
  'GET /api/folders/{folder}/analyses': Analysis[]
  'GET /api/media/{medium}': Medium
  'PATCH /api/media/{medium}': Medium
  'DELETE /api/media/{medium}': undefined
  'GET /api/media/{medium}/snapshot': Snapshot
  'POST /api/media/{medium}/snapshot': Snapshot
  'GET /api/analyses/{analysis}': Analysis
  'PATCH /api/analyses/{analysis}': Analysis
  'DELETE /api/analyses/{analysis}': undefined
  'POST /api/collections': Collection
  'GET /api/collections': Collection[]
  'GET /api/collections/{collection}': Collection
  'DELETE /api/collections/{collection}': undefined
  'POST /api/collections/{collection}/persons': Person | Person[]
  'GET /api/collections/{collection}/persons': Person[]
  'GET /api/collections/{collection}/persons/{person}': Person
  'DELETE /api/collections/{collection}/persons/{person}': undefined
  'POST /api/collections/{collection}/persons/{person}/images': PersonImage[]
  'GET /api/collections/{collection}/persons/{person}/images': PersonImage[]
  'DELETE /api/collections/{collection}/persons/{person}/images/{image}': undefined
  'DELETE /api/images/{image}': undefined
  'POST /api/event_sessions': EventSession
  'GET /api/event_sessions': Page<EventSession>
  'GET /api/event_sessions/{session}': EventSession
  'GET /api/event_sessions/{session}/records': Page<EventRecord>
  'POST /api/device_settings': DeviceSettings
  'DELETE /api/device_settings': undefined
  'POST /v1/face/pattern/extract': Blob
  'POST /v1/face/pattern/compare': Comparison
  'POST /v1/face/pattern/verify': Comparison
  'POST /v1/face/pattern/extract_and_compare': Comparison
  'POST /v1/face/pattern/compare_n': NamedComparisons
  'POST /v1/face/pattern/verify_n': NamedComparisons
  'POST /v1/face/pattern/extract_and_compare_n': NamedComparisons
}

/** What each call answers; a JSON object where nothing more is promised. */
export type Answers = KnownAnswers & { [Other in Exclude<keyof Operations, keyof KnownAnswers>]: JsonObject }
