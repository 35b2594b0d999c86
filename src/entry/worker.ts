import { type App, createApp } from '../app.ts'
import { openServices } from '../compose/open-services.ts'
import { asAppError, errorAnswer } from '../contract/error-table.ts'
import { spacedJson } from '../contract/spaced-json.ts'
import { type Assets, openWorkersPlatform } from '../platform/workers.ts'
import { readSettings } from '../settings.ts'
import { warnOfUnknownSettings } from './unknown-settings.ts'

/** Settings as string variables, and the static assets. */
interface Bindings {
  ASSETS: Assets
  [variable: string]: unknown
}

let app: Promise<App> | null = null

async function openApp(bindings: Bindings): Promise<App> {
  const texts = Object.entries(bindings).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const environment = Object.fromEntries(texts)
  const settings = readSettings(environment)
  const platform = await openWorkersPlatform(bindings.ASSETS, settings)
  warnOfUnknownSettings(platform, environment)
  return createApp(platform, settings, await openServices(platform, settings))
}

/** A failed start is forgotten, so that the next request retries it. */
async function getApp(bindings: Bindings): Promise<App> {
  app ??= openApp(bindings)
  try {
    return await app
  } catch (error) {
    app = null
    throw error
  }
}

export default {
  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    try {
      const clientAddress = request.headers.get('CF-Connecting-IP') ?? undefined
      return await (await getApp(bindings)).fetch(request, { clientAddress })
    } catch (error) {
      // biome-ignore lint/suspicious/noConsole: the console is the log of a Worker
      console.error(JSON.stringify({ level: 'error', event: 'start failed', cause: String(error) }))
      const { status, body } = errorAnswer(asAppError(error))
      return new Response(spacedJson(body), {
        status,
        headers: { 'Content-Type': 'application/json; charset=utf8' },
      })
    }
  },
}
