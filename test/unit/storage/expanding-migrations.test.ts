/**
 * Replicas of a release go on while a newer one migrates their database: migrations add (expand), and what a release uses goes with the one
 * after the next (contract).
 */
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import journal from '../../../drizzle/meta/_journal.json' with { type: 'json' }

interface Column {
  name: string
  type: string
  primaryKey: boolean
  notNull: boolean
  default?: unknown
}

interface Table {
  name: string
  columns: Record<string, Column>
  indexes: Record<string, { name: string; columns: string[]; isUnique: boolean }>
}

type Tables = Record<string, Table>

const vectors = 'test/vectors/database'

/** The releases in their order, with the place of their last migration. */
const releases = (
  await Promise.all(
    (
      await readdir(vectors)
    )
      .filter((name) => name.endsWith('.sql'))
      .map(async (name) => {
        const text = await readFile(`${vectors}/${name}`, 'utf8')
        const rows = [...text.matchAll(/^INSERT INTO "__drizzle_migrations".* (?:VALUES )?\(.*,(\d+)\);$/gm)]
        return { release: name.slice(0, -'.sql'.length), last: rows.length - 1 }
      }),
  )
).sort((one, other) => one.last - other.last)
const upgrades = releases.map((from, index) => ({
  ...from,
  to: releases[index + 1]?.last ?? journal.entries.length - 1,
}))

const readTables = async (migration: number): Promise<Tables> => {
  const name = `drizzle/meta/${String(migration).padStart(4, '0')}_snapshot.json`
  return JSON.parse(await readFile(name, 'utf8')).tables
}

/** What code of the tables before cannot do any more, or does not expect, in those after. */
function changesFor(before: Tables, after: Tables): string[] {
  return Object.values(before).flatMap((table) => {
    const now = after[table.name]
    if (!now) return [`${table.name} is gone`]
    const columns = Object.values(table.columns).flatMap((old) => {
      const column = now.columns[old.name]
      const place = `${table.name}.${old.name}`
      if (!column) return [`${place} is gone`]
      return [
        ...(column.type === old.type ? [] : [`${place} has another type`]),
        ...(column.notNull && !old.notNull ? [`${place} must be given`] : []),
        ...(!column.notNull && old.notNull ? [`${place} may be null`] : []),
        ...(old.default !== undefined && column.default === undefined ? [`${place} has no default`] : []),
      ]
    })
    const added = Object.values(now.columns)
      .filter(({ name, notNull, default: value }) => !table.columns[name] && notNull && value === undefined)
      .map(({ name }) => `${table.name}.${name} must be given`)
    const unique = Object.values(now.indexes)
      .filter(
        ({ name, isUnique, columns: of }) =>
          isUnique && !table.indexes[name] && of.every((one) => table.columns[one]),
      )
      .map(({ name }) => `${name} refuses rows`)
    return [...columns, ...added, ...unique]
  })
}

const adding = [
  /^CREATE TABLE /,
  /^CREATE (?:UNIQUE )?INDEX /,
  /^ALTER TABLE \S+ ADD /,
  // A table that is made anew keeps its rows; what differs is compared above.
  /^INSERT INTO `__new_(\w+)`.* SELECT .* FROM `\1`$/,
]

/** What a migration does beside adding, as its first words. */
function otherStatements(text: string): string[] {
  const statements = text.split('--> statement-breakpoint').map((statement) =>
    statement
      .replaceAll(/^--.*$/gm, '')
      .trim()
      .replace(/;$/, ''),
  )
  const renewed = statements.flatMap(
    (statement) => /^ALTER TABLE `__new_(\w+)` RENAME TO `\1`$/.exec(statement)?.[1] ?? [],
  )
  const renewing = renewed.flatMap((name) => [
    `DROP TABLE \`${name}\``,
    `ALTER TABLE \`__new_${name}\` RENAME TO \`${name}\``,
  ])
  return statements
    .filter((one) => one !== '' && !renewing.includes(one) && !adding.some((form) => form.test(one)))
    .map((one) => one.split(/\s+/).slice(0, 3).join(' '))
}

/** What a release meets that does not only add, and why its replicas may go on all the same, or must be stopped. */
const named: Record<string, Record<string, string>> = {
  '1.0.0': {
    'outbox.folder_id may be null': 'stopped: it would tell events of links without a folder',
    'deliveries.folder_id may be null': 'stopped: it lists them without their link',
    'sessions_id refuses rows': 'ids are drawn at random',
    '0001_decisions: INSERT INTO `decisions`': 'stopped: what it decides from then on is no record',
    '0001_decisions: UPDATE `analyses` SET': 'it reads and writes the same column',
    '0001_decisions: UPDATE `folders` SET': 'stopped: what it judges from then on is not in the queue',
  },
}

describe.each(upgrades)('replicas of $release', ({ release, last, to }) => {
  const reasons = named[release] ?? {}

  it('go on beside the migrations of the next release, or the reason why not is named', async () => {
    const statements = journal.entries.slice(last + 1, to + 1).map(async ({ tag }) => {
      const others = otherStatements(await readFile(`drizzle/${tag}.sql`, 'utf8'))
      return others.map((statement) => `${tag}: ${statement}`)
    })
    const changes = changesFor(await readTables(last), await readTables(to))
    const found = new Set([...changes, ...(await Promise.all(statements)).flat()])
    expect([...found].sort()).toEqual(Object.keys(reasons).sort())
  })

  it('are stopped before an upgrade if they must be, as the documents say', async () => {
    const operate = await readFile('docs/operate.md', 'utf8')
    const mustStop = Object.values(reasons).some((reason) => reason.startsWith('stopped: '))
    expect(operate.includes(`From ${release} stop all first`)).toBe(mustStop)
  })
})

describe('changes that older code does not bear', () => {
  const table = (columns: Partial<Column>[], indexes: Table['indexes'] = {}): Tables => ({
    rows: {
      name: 'rows',
      columns: Object.fromEntries(
        columns.map((column) => [
          column.name!,
          { type: 'text', primaryKey: false, notNull: false, ...column } as Column,
        ]),
      ),
      indexes,
    },
  })
  const before = table([
    { name: 'a' },
    { name: 'b', notNull: true },
    { name: 'c', notNull: true, default: 0 },
  ])
  const all = Object.values(before.rows!.columns)

  it.each<[string, Tables, string[]]>([
    ['an added column', table([...all, { name: 'd' }]), []],
    ['an added column with a default', table([...all, { name: 'd', notNull: true, default: 1 }]), []],
    [
      'an added column that must be given',
      table([...all, { name: 'd', notNull: true }]),
      ['rows.d must be given'],
    ],
    ['a column that is gone', table(all.slice(1)), ['rows.a is gone']],
    ['another type', table([{ name: 'a', type: 'blob' }, ...all.slice(1)]), ['rows.a has another type']],
    [
      'a column that must be given',
      table([{ name: 'a', notNull: true }, ...all.slice(1)]),
      ['rows.a must be given'],
    ],
    ['a column that may be null', table([all[0]!, { name: 'b' }, all[2]!]), ['rows.b may be null']],
    [
      'a default that is gone',
      table([all[0]!, all[1]!, { name: 'c', notNull: true }]),
      ['rows.c has no default'],
    ],
    ['a table that is gone', {}, ['rows is gone']],
    [
      'a unique index of what there was',
      table(all, { one: { name: 'one', columns: ['a'], isUnique: true } }),
      ['one refuses rows'],
    ],
    [
      'a unique index of what is new',
      table([...all, { name: 'd' }], { one: { name: 'one', columns: ['d'], isUnique: true } }),
      [],
    ],
  ])('%s', (_, after, changes) => {
    expect(changesFor(before, after)).toEqual(changes)
  })

  it.each([
    ['ALTER TABLE `a` DROP COLUMN `b`;', ['ALTER TABLE `a`']],
    ['ALTER TABLE `a` RENAME COLUMN `b` TO `c`;', ['ALTER TABLE `a`']],
    ['ALTER TABLE `a` ADD `b` text;--> statement-breakpoint\nCREATE INDEX `c` ON `a` (`b`);', []],
    ['DROP TABLE `a`;', ['DROP TABLE `a`']],
    ['DROP INDEX `a`;', ['DROP INDEX `a`']],
    ['CREATE TRIGGER `a` AFTER INSERT ON `b` BEGIN SELECT 1; END;', ['CREATE TRIGGER `a`']],
    ['-- Why.\nDELETE FROM `a` WHERE 1;', ['DELETE FROM `a`']],
  ])('%s', (text, found) => {
    expect(otherStatements(text)).toEqual(found)
  })
})
