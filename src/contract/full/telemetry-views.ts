import type { DeviceSettings, EventSession, StoredEvent } from '../../records/telemetry.ts'
import type { Json } from '../spaced-json.ts'
import { seconds, secondsOrNull } from './media-view.ts'

/** An event session, with both names of its id. */
export const eventSessionView = (session: EventSession): Json => ({
  event_session_id: session.id,
  session_id: session.id,
  company_id: session.companyId,
  user_id: session.userId,
  device: session.device as Json,
  records_count: session.events,
  time_created: seconds(session.createdAtMs),
  time_updated: seconds(session.updatedAtMs),
})

/** An event; `record` is what the app sent. */
export const eventRecordView = (event: StoredEvent): Json => ({
  session_id: event.sessionId,
  event: event.name,
  timemark: secondsOrNull(event.happenedAtMs),
  time_created: seconds(event.createdAtMs),
  record: event.sent as Json,
})

export const deviceSettingsView = (stored: DeviceSettings): Json => ({
  model: stored.pattern,
  settings: stored.settings as Json,
  time_created: seconds(stored.createdAtMs),
  time_updated: seconds(stored.updatedAtMs),
})
