/** Copies databases from and to a libSQL server, row by row: it has no file that could be copied. */
import type { Client, InValue, Transaction } from '@libsql/client'

/** Servers limit their answers, sqld to 10 MB: then fewer are read, down to one. */
const rowsAtOnce = 256

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'RESPONSE_TOO_LARGE'

/** Engines and their tools keep tables for themselves. */
export const isOurs = `name not like 'sqlite_%' and name not like 'libsql_%' and (substr(name, 1, 1) <> '_' or name = '__drizzle_migrations')`

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Columns that tell where the next rows begin. */
async function keyOf(from: Transaction, table: string, sql: string): Promise<string[]> {
  if (!/without rowid\s*$/i.test(sql)) return ['rowid']
  const { rows } = await from.execute(`pragma table_info(${quoted(table)})`)
  const parts = rows.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
  return parts.map(({ name }) => quoted(String(name)))
}

async function copyTable(from: Transaction, to: Client, table: string, sql: string): Promise<number> {
  const key = await keyOf(from, table, sql)
  const names = key.join(', ')
  const later = `where (${names}) > (${key.map(() => '?').join(', ')})`
  let limit = rowsAtOnce
  const read = async (last: InValue[] | null): Promise<ArrayLike<unknown>[]> => {
    const where = last ? later : ''
    const sql = `select ${names}, * from ${quoted(table)} ${where} order by ${names} limit ${limit}`
    try {
      return (await from.execute({ sql, args: last ?? [] })).rows
    } catch (error) {
      if (!isTooLarge(error) || limit === 1) throw error
      limit /= 4
      return read(last)
    }
  }
  let copied = 0
  for (let last: InValue[] | null = null; ; ) {
    const rows = await read(last)
    const values = rows.map((row) => Array.from(row) as InValue[])
    const insert = values.map((row) => {
      const args = row.slice(key.length)
      return { sql: `insert into ${quoted(table)} values (${args.map(() => '?').join(', ')})`, args }
    })
    // Tables are not in the order of their references, which this leaves unchecked.
    if (insert.length > 0) await to.migrate(insert)
    copied += rows.length
    last = values.at(-1)?.slice(0, key.length) ?? null
    if (rows.length < limit) return copied
  }
}

/**
 * Copies all tables as they were at one moment, and then their indexes.
 * @param from,to clients with `intMode: 'bigint'`, as long numbers have more digits than a float
 * @param to an empty database. Where this fails, it has a part of the tables
 */
export async function copyRows(from: Client, to: Client, onRows: (copied: number) => void): Promise<void> {
  const reader = await from.transaction('read')
  try {
    const schema = (type: string) =>
      reader.execute(
        `select name, sql from sqlite_schema where type = '${type}' and sql is not null and ${isOurs}`,
      )
    const tables = (await schema('table')).rows
    await to.migrate(tables.map(({ sql }) => String(sql)))
    let copied = 0
    for (const { name, sql } of tables) {
      copied += await copyTable(reader, to, String(name), String(sql))
      onRows(copied)
    }
    // The highest numbers ever given, so that none is given again.
    const { rows: highest } = await reader.execute('select name, seq from sqlite_sequence')
    await to.migrate([
      'delete from sqlite_sequence',
      ...highest.map(({ name, seq }) => ({
        sql: 'insert into sqlite_sequence (name, seq) values (?, ?)',
        args: [name!, seq!],
      })),
    ])
    const indexes = (await schema('index')).rows
    for (const { sql } of indexes) await to.execute(String(sql))
  } finally {
    reader.close()
  }
}
