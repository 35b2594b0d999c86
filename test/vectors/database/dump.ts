/** A database as statements that make it again. */
import type { Client, Value } from '@libsql/client'

function literal(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return value instanceof ArrayBuffer ? `x'${Buffer.from(value).toString('hex')}'` : String(value)
}

export async function dumpDatabase(client: Client): Promise<string> {
  const { rows } = await client.execute(
    "select name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by type = 'index', rowid",
  )
  const lines = ['PRAGMA foreign_keys = OFF;', ...rows.map(({ sql }) => `${sql};`)]
  const tables = rows.filter(({ sql }) => /^create table/i.test(String(sql))).map(({ name }) => String(name))
  for (const table of [...tables, 'sqlite_sequence']) {
    const { columns, rows: values } = await client.execute(`select * from "${table}"`)
    // A table fills its own sequence, in which removed rows count too.
    if (table === 'sqlite_sequence') lines.push('DELETE FROM sqlite_sequence;')
    for (const row of values) {
      const literals = columns.map((_, place) => literal(row[place]!))
      lines.push(`INSERT INTO "${table}" (${columns.map((name) => `"${name}"`)}) VALUES (${literals});`)
    }
  }
  return `${lines.join('\n')}\n`
}
