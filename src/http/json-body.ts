import type { Context } from 'hono'
import type { GenericSchema, InferOutput } from 'valibot'
import { parseJsonObject } from '../contract/full/payload.ts'
import { parseWith } from '../contract/parse.ts'
import type { AppEnv } from './app-env.ts'
import { readBody, textOf } from './body.ts'

const jsonBytesMax = 2 ** 20

/**
 * Reads a JSON object, whatever type the request declares: clients send JSON under all kinds of types. An empty body is
 * an empty object.
 * @throws {AppError} `structure_invalid`, `body_too_large`
 */
export async function readJson(c: Context<AppEnv>): Promise<Record<string, unknown>> {
  const text = textOf(await readBody(c.req.raw, jsonBytesMax))
  return text.trim() === '' ? {} : parseJsonObject(text)
}

/** @throws {AppError} as `readJson` and `parseWith` */
export const readJsonAs = async <Schema extends GenericSchema>(
  c: Context<AppEnv>,
  schema: Schema,
): Promise<InferOutput<Schema>> => parseWith(schema, await readJson(c))
