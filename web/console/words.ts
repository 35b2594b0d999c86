/** Words of the service, as people read them. */
import type { OperatorDecision } from '../../client/index.ts'
import type { Text } from './texts/de.ts'

export const stateWords: Readonly<Record<string, Text>> = {
  INITIAL: 'Not analysed',
  PROCESSING: 'In progress',
  FAILED: 'Failed',
  FINISHED: 'Finished',
  DECLINED: 'Declined',
  OPERATOR_REQUIRED: 'To be decided',
  SUCCESS: 'Accepted',
  sent: 'Sent',
  opened: 'Opened',
  captured: 'Captured',
  decided: 'Decided',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
  ok: 'works',
  error: 'does not work',
  warning: 'works, needs attention',
}

export const stateTones: Readonly<Record<string, 'good' | 'bad' | 'open' | 'none'>> = {
  SUCCESS: 'good',
  captured: 'open',
  ok: 'good',
  DECLINED: 'bad',
  error: 'bad',
  FAILED: 'bad',
  OPERATOR_REQUIRED: 'open',
  warning: 'open',
}

export const typeWords: Readonly<Record<string, Text>> = {
  QUALITY: 'Liveness',
  BIOMETRY: 'Comparison',
  COLLECTION: 'Search in a collection',
  DOCUMENTS: 'Document',
}

export const roleWords: Readonly<Record<string, Text>> = {
  ADMIN: 'Administrator of the service',
  OPERATOR: 'Operator of the service',
  CLIENT: 'User',
  CLIENT_ADMIN: 'Administrator of a company',
  CLIENT_OPERATOR: 'Operator of a company',
  CLIENT_SERVICE: 'Machine account',
}

export const scoreWords: Readonly<Record<string, Text>> = {
  confidence_spoofing: 'Attack score',
  confidence_replay: 'Replay score',
  confidence_liveness: 'Liveness score',
  frames: 'Picture',
  movement: 'Movement',
  identity: 'Identity',
  challenge: 'Challenge',
}

export const partHints: Readonly<Record<string, Text>> = {
  frames: 'Does it look like skin, or like print and screen?',
  movement: 'Does the face move by itself, or like a moved picture?',
  identity: 'Is it one person from start to end?',
  challenge: 'Does it answer what was asked for in this session?',
}

export const taskWords: Readonly<Record<string, Text>> = {
  'face detection': 'Face detection',
  'face landmarks': 'Face landmarks',
  'biometric template': 'Biometric template',
  'presentation attack detection': 'Attack detection',
  'machine-readable zones': 'Machine-readable zones',
  'text detection': 'Text detection',
  'text recognition': 'Text recognition',
}

/** Gestures that a clip was to show. Left and right are those of the person. */
export const gestureWords: Readonly<Record<string, Text>> = {
  eyes: 'Eyes closed for a moment',
  smile: 'Smile',
  left: 'Head turned to the left',
  right: 'Head turned to the right',
  high: 'Look upwards',
  down: 'Look downwards',
  zoom_in: 'Closer to the camera',
  zoom_out: 'Away from the camera',
  scan: 'Look into the camera',
  blank: 'Look into the camera',
  oneshot: 'Look into the camera',
  best: 'Look into the camera',
}

/** Why operators decide as they do. */
export const decisionReasonWords: Readonly<Record<NonNullable<OperatorDecision['reason_code']>, Text>> = {
  genuine: 'A real person',
  same_person: 'The same person',
  document_valid: 'The document is valid',
  quality_sufficient: 'The pictures suffice',
  print: 'A print',
  screen: 'A screen',
  mask: 'A mask',
  manipulated: 'An altered picture',
  different_person: 'Another person',
  several_people: 'Several people',
  document_expired: 'The document has expired',
  document_forged: 'The document is forged',
  document_unreadable: 'The document is not readable',
  quality_insufficient: 'The pictures are too poor',
  other: 'Another reason',
}

/** Why a webhook was not delivered. */
export const deliveryWords: Readonly<Record<string, Text>> = {
  timed_out: 'no answer in time',
  connection_failed: 'no connection',
  tls_failed: 'certificate not valid',
  address_refused: 'address not allowed',
  host_unresolved: 'host name not found',
  redirected: 'redirected to another address',
  status_refused: 'refused by the receiver',
  internal: 'fault of the service',
  sandbox: 'repeated by the sandbox',
}

/** Parts of the service whose health is told. */
export const componentWords: Readonly<Record<string, Text>> = {
  assessor: 'Analysis of media',
  models: 'Networks',
  database: 'Database',
  storage: 'Storage of media',
}

/** What health tells of a part, beside its state. */
export const componentFactWords: Readonly<Record<string, Text>> = {
  workers: 'workers',
  ready: 'of them ready',
  waiting: 'media waiting',
  waiting_max: 'at most',
  replaced: 'workers replaced',
  profile: 'profile',
  assurance: 'assurance',
  cohort: 'cohort',
  undeleted_files: 'files that could not be deleted',
  failed_removals: 'removals that failed',
  free_megabytes: 'free space in MB',
}

export const assuranceWords: Readonly<Record<string, Text>> = { standard: 'standard', low: 'low' }

/** Results of checks of documents. */
export const checkWords: Readonly<Record<string, Text>> = {
  SUCCESS: 'passes',
  DECLINED: 'does not pass',
  OPERATOR_REQUIRED: 'not sure',
}

export const checkTones: Readonly<Record<string, 'good' | 'bad' | 'open'>> = {
  SUCCESS: 'good',
  DECLINED: 'bad',
  OPERATOR_REQUIRED: 'open',
}
