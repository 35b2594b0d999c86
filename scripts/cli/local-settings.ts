/** Settings of programs that assess media in their own process. */
import { readSettings, type Settings } from '../../src/settings.ts'

/**
 * The settings of the environment without those of a service that is called: no accounts, database, pages or metrics. So a
 * program also runs beside a server.
 * @param own they win over the environment
 * @throws {AppError} for invalid settings
 */
export const readLocalSettings = (own: Record<string, string>): Settings =>
  readSettings({
    ...process.env,
    SVC_APP_COMPONENTS: 'stateless',
    SVC_ADMIN_EMAIL: '',
    SVC_ADMIN_PASSWORD: '',
    SVC_PAGES_ENABLED: 'false',
    SVC_METRICS_TOKEN: '',
    SVC_METRICS_ADDRESSES: '',
    SVC_INSTANT_SAVING_ARTIFACTS_ENABLED: 'false',
    ...own,
  })
