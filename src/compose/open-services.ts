/** Creates the services behind the doors, once at start. */
import { verifyTokensStateless } from '../accounts/stateless-tokens.ts'
import { RememberedTokens } from '../container/used-tokens.ts'
import { checkWebhookForm } from '../events/webhook-address.ts'
import { Throttle } from '../identity/throttle.ts'
import type { Platform } from '../platform/platform.ts'
import { isGiven, type Settings } from '../settings.ts'
import { composeLite } from './lite.ts'
import { openPersistent } from './persistent.ts'
import { composeProcessing } from './processing.ts'
import type { Services } from './services.ts'
import { composeContainers } from './session-keys.ts'
import { composeUsageLog } from './statistics.ts'

/** Later calls are refused: delayed ones hold a connection. */
const throttlingDelayMaxMs = 5000

/** @throws {AppError} when the database or a key cannot be had */
export async function openServices(platform: Platform, settings: Settings): Promise<Services> {
  const { persistence, nowMs, monotonicMs } = platform
  const throttle = new Throttle(settings.throttlingRates, throttlingDelayMaxMs, monotonicMs)
  if (persistence) return openPersistent(platform, settings, persistence, throttle)
  if (isGiven(settings, 'adminEmail') || isGiven(settings, 'adminPassword')) {
    const message = 'SVC_ADMIN_EMAIL and SVC_ADMIN_PASSWORD are not used: this server stores no users'
    platform.log('warn', 'unused setting', { message })
  }
  const usage = composeUsageLog(platform)
  const processor = composeProcessing(platform, settings, null, async () => false)
  let isStopping = false
  return {
    authenticate: verifyTokensStateless({
      secret: new TextEncoder().encode(settings.secretKey),
      ageMaxMs: settings.statelessTokenAgeMaxS * 1000,
      nowMs,
    }),
    ...(await composeContainers(platform, settings, null)),
    usedTokens: new RememberedTokens(nowMs),
    throttle,
    checkEndpointForm: (address) => checkWebhookForm(address, settings.webhookAllowPrivate),
    async countUsage(companyId, types) {
      usage.count(companyId, types)
    },
    processor,
    lite: composeLite(platform, settings, processor),
    persistent: null,
    start: () => usage.start(),
    async drain() {},
    async tidy() {},
    beginStop() {
      isStopping = true
    },
    isStopping: () => isStopping,
    async stop() {
      await usage.stop()
    },
  }
}
