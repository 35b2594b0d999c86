/** What apps report about themselves, and the settings for their devices. */
import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import { DeviceSettingsService } from '../telemetry/device-settings-service.ts'
import { EventSessionService } from '../telemetry/event-session-service.ts'
import type { Stores } from './stores.ts'

const dayMs = 24 * 3600_000
/** Where folders are kept for ever: event sessions are of use while an app is looked after, and say what device a person has. */
const eventRetentionDays = 90

export const composeTelemetry = (
  { nowMs, randomId }: Platform,
  { retentionDays }: Settings,
  { eventSessions, deviceSettings }: Stores,
) => ({
  eventSessions: new EventSessionService({
    eventSessions,
    retentionMs: (retentionDays || eventRetentionDays) * dayMs,
    nowMs,
    randomId,
  }),
  deviceSettings: new DeviceSettingsService({ deviceSettings, nowMs }),
})
