import type { Context } from 'hono'
import type { ViewOptions } from '../contract/full/media-view.ts'
import { viewOptions } from '../contract/full/view-options.ts'
import { isAmong } from '../network-address.ts'
import type { Settings } from '../settings.ts'
import type { AppEnv, Deps } from './app-env.ts'

/** A host name or address with or without a port: what is put in front of a path must end where it seems to end. */
const hostForm = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/** The first value of a header of a trusted proxy: it is that of the outermost one. */
function forwarded(c: Context<AppEnv>, settings: Settings, name: string): string | undefined {
  if (!isAmong(c.env?.clientAddress ?? '', settings.trustedProxies)) return undefined
  return c.req.header(name)?.split(',')[0]?.trim()
}

/** The address at which a caller reaches this server: that of its request, if the settings name none. */
export function publicAddress(c: Context<AppEnv>, settings: Settings): string {
  if (settings.publicUrl !== '') return settings.publicUrl
  const { protocol, host } = new URL(c.req.url)
  const scheme = forwarded(c, settings, 'X-Forwarded-Proto')
  const outerHost = forwarded(c, settings, 'X-Forwarded-Host')
  return [
    scheme === 'https' || scheme === 'http' ? scheme : protocol.slice(0, -1),
    outerHost && hostForm.test(outerHost) ? outerHost : host,
  ].join('://')
}

/** Makes the view options of answers, whose links their callers can open. */
export const answerOptions =
  ({ settings }: Deps, variant: ViewOptions['variant'], pictures: boolean) =>
  (c: Context<AppEnv>): ViewOptions =>
    viewOptions({ ...settings, publicUrl: publicAddress(c, settings) }, variant, pictures)
