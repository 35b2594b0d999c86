/** Settings for device models, which everybody may read and administrators write. */
import { AppError } from '../errors.ts'
import type { Authority } from '../identity/authority.ts'
import type { ListQuery, Page } from '../records/list-query.ts'
import type { DeviceSettings, SentObject } from '../records/telemetry.ts'
import type { DeviceSettingsStore } from '../storage/telemetry/device-settings-store.ts'

interface DeviceSettingsServiceDeps {
  deviceSettings: DeviceSettingsStore
  nowMs(): number
}

/** The settings of one model. */
interface ModelSettings {
  settings: SentObject
  /** The patterns that they come from, the most general one first. */
  patterns: readonly string[]
}

export class DeviceSettingsService {
  readonly #deps: DeviceSettingsServiceDeps

  constructor(deps: DeviceSettingsServiceDeps) {
    this.#deps = deps
  }

  /** The settings for a model: a member of a more special pattern replaces that of a more general one. */
  async settingsFor(model: string): Promise<ModelSettings> {
    const found = await this.#deps.deviceSettings.matching(model)
    const members = found.flatMap(({ settings }) => Object.entries(settings))
    return { settings: Object.fromEntries(members), patterns: found.map(({ pattern }) => pattern) }
  }

  list(query: ListQuery): Promise<Page<DeviceSettings>> {
    return this.#deps.deviceSettings.list(query)
  }

  /** @throws {AppError} `forbidden`, `not_allowed` for too many patterns */
  async put(authority: Authority, pattern: string, settings: SentObject): Promise<DeviceSettings> {
    authority.scope('create', 'device_settings')
    const now = this.#deps.nowMs()
    return this.#deps.deviceSettings.put({ pattern, settings, createdAtMs: now, updatedAtMs: now })
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  async remove(authority: Authority, pattern: string): Promise<void> {
    authority.scope('delete', 'device_settings')
    if (!(await this.#deps.deviceSettings.delete(pattern))) throw new AppError('not_found')
  }
}
