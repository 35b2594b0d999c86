import type { Context } from 'hono'
import type { GenericSchema, InferOutput } from 'valibot'
import { jsonBytesMax, parseJsonObject } from '../contract/bounded-json.ts'
import { parseWith } from '../contract/parse.ts'
import type { AppEnv } from './app-env.ts'
import { decodeText, readBody } from './body.ts'

/**
 * Reads a JSON object. The declared content type is ignored, since clients send JSON under many types. An empty body means
 * an empty object.
 * @throws {AppError} `body_too_large`, and as `parseJsonObject`
 */
export async function readJson(
  c: Context<AppEnv>,
  bytesMax = jsonBytesMax,
): Promise<Record<string, unknown>> {
  const text = decodeText(await readBody(c.var.incoming, bytesMax))
  return text.trim() === '' ? {} : parseJsonObject(text)
}

/** @throws {AppError} as `readJson` and `parseWith` */
export const readJsonAs = async <Schema extends GenericSchema>(
  c: Context<AppEnv>,
  schema: Schema,
): Promise<InferOutput<Schema>> => parseWith(schema, await readJson(c))
