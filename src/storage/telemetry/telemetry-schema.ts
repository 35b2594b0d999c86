/** The tables of telemetry: event sessions of apps with their events, and settings for device models. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SentObject } from '../../records/telemetry.ts'
import { uuid } from '../column-types.ts'
import { companies, created, sentJson } from '../schema.ts'

export const eventSessions = sqliteTable(
  'event_sessions',
  {
    id: uuid().primaryKey(),
    companyId: uuid('company_id')
      .notNull()
      .references(() => companies.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').notNull(),
    device: sentJson<SentObject>(),
    /** Number of its events. */
    events: integer().notNull().default(0),
    ...created,
  },
  (t) => [
    index('event_sessions_company').on(t.companyId, t.createdAt),
    index('event_sessions_created').on(t.createdAt),
    index('event_sessions_company_updated').on(t.companyId, t.updatedAt),
    index('event_sessions_updated').on(t.updatedAt),
  ],
)

export const sessionEvents = sqliteTable(
  'session_events',
  {
    number: integer().primaryKey({ autoIncrement: true }),
    sessionId: uuid('session_id')
      .notNull()
      .references(() => eventSessions.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    happenedAt: integer('happened_at'),
    sent: sentJson<SentObject>(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('session_events_session').on(t.sessionId, t.createdAt)],
)

export const deviceSettings = sqliteTable('device_settings', {
  /** The pattern in lower case. */
  key: text().primaryKey(),
  pattern: text().notNull(),
  settings: sentJson<SentObject>(),
  ...created,
})
