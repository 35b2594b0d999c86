import { createClient } from '@libsql/client'
import { and, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql'
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ListFields, parseListQuery } from '../../../src/contract/list-query.ts'
import {
  containsText,
  flattenJson,
  type ListColumns,
  listConditions,
  listOrder,
  metadataLeaves,
} from '../../../src/storage/lists/list-conditions.ts'

const orders = sqliteTable(
  'orders',
  {
    id: text().primaryKey(),
    createdAt: integer('created_at').notNull(),
    status: text(),
    isCleared: integer('is_cleared', { mode: 'boolean' }),
    score: real(),
    comment: text(),
  },
  (t) => [index('orders_created').on(t.createdAt)],
)

const orderLeaves = sqliteTable(
  'order_leaves',
  { owner: text().notNull(), path: text().notNull(), value: text().notNull() },
  (t) => [
    primaryKey({ columns: [t.owner, t.path] }),
    index('order_leaves_value').on(t.path, t.value, t.owner),
  ],
)

const tables = `
  create table orders (id text primary key, created_at integer not null, status text, is_cleared integer, score real, comment text);
  create index orders_created on orders (created_at);
  create table order_leaves (owner text not null, path text not null, value text not null, primary key (owner, path));
  create index order_leaves_value on order_leaves (path, value, owner);`

const fields: ListFields = {
  time_created: { kind: 'time', sortable: true },
  status: { kind: 'choice', choices: ['NEW', 'DONE', 'LOST'], sortable: true },
  is_cleared: { kind: 'boolean' },
  score: { kind: 'number', sortable: true },
  resolution_comment: { kind: 'search' },
  'analyse.type': { kind: 'text' },
  meta_data: { kind: 'json' },
}

const columns: ListColumns = {
  time_created: { column: orders.createdAt },
  status: { column: orders.status },
  is_cleared: { column: sql`${orders.isCleared}` },
  score: { column: orders.score },
  resolution_comment: { column: orders.comment },
  'analyse.type': (filter) => sql`${filter.operator === 'in' ? String(filter.values[0]) : ''} = ${orders.id}`,
  meta_data: metadataLeaves(orderLeaves, orders.id),
}

const startMs = 1_700_000_000_000
const longText = 'x'.repeat(250)

const rows = [
  { id: 'a', createdAt: startMs, status: 'NEW', isCleared: true, score: 1, comment: '100% Sure_thing' },
  { id: 'b', createdAt: startMs + 1000, status: 'DONE', isCleared: false, score: 2.5, comment: 'a \\ b' },
  { id: 'c', createdAt: startMs + 2000, status: null, isCleared: null, score: null, comment: null },
  { id: 'd', createdAt: startMs + 2000, status: 'DONE', isCleared: null, score: 10, comment: 'sure' },
]

const metadata: Record<string, unknown> = {
  a: { transaction_id: 'abc-1', amount: 9, person: { name: 'first', 'second.name': 'x' }, on: '2024-01-02' },
  b: { transaction_id: 'abc-2', amount: '10.5', person: { tags: ['x', 'y'] }, long: longText },
  c: { transaction_id: null, amount: 'a lot', persons: 1, flag: true },
  d: { amount: 1e21, person: {}, flag: false, list: [{ n: -1 }, 100] },
}

const client = createClient({ url: ':memory:' })
const db = drizzle(client)

beforeAll(async () => {
  await client.executeMultiple(tables)
  await db.insert(orders).values(rows)
  const leaves = Object.entries(metadata).flatMap(([owner, value]) =>
    flattenJson(value).map((leaf) => ({ owner, ...leaf })),
  )
  await db.insert(orderLeaves).values(leaves)
})
afterAll(() => client.close())

function selection(query: Record<string, string>) {
  const { filters, sorting } = parseListQuery(new URLSearchParams(query), fields, startMs)
  return db
    .select({ id: orders.id })
    .from(orders)
    .where(and(...listConditions(filters, columns)))
    .orderBy(...listOrder(sorting, columns, orders.id))
}

async function listIds(query: Record<string, string>): Promise<string> {
  return (await selection(query)).map(({ id }) => id).join('')
}

/** The ids that match, in alphabetical order. */
const matching = async (query: Record<string, string>) => [...(await listIds(query))].sort().join('')
const matchingMetadata = (condition: string) => matching({ meta_data: condition })

describe('the order of a list', () => {
  it.each([
    [{}, 'dcba'],
    [{ sorting: 'time_created{asc}' }, 'abdc'],
    [{ sorting: 'status{asc},score{asc}' }, 'cbda'],
    [{ sorting: 'score' }, 'dbac'],
  ])('follows %o and ends with the primary key, descending', async (query, expected) => {
    expect(await listIds(query)).toBe(expected)
  })

  it('refuses to sort by a field without a column', () => {
    expect(() => listOrder([{ field: 'meta_data', direction: 'asc' }], columns, orders.id)).toThrow(TypeError)
    expect(() => listOrder([{ field: 'unknown', direction: 'asc' }], columns, orders.id)).toThrow(TypeError)
  })
})

describe('filters by value', () => {
  it.each([
    [{ status: 'new' }, 'a'],
    [{ status: 'new,done' }, 'abd'],
    [{ status: 'null' }, 'c'],
    [{ status: 'null,new' }, 'ac'],
    [{ 'status.exclude': 'new' }, 'bd'],
    [{ 'status.exclude': 'null' }, 'abd'],
    [{ 'status.exclude': 'null,done' }, 'a'],
    [{ 'status.exclude': 'new,done' }, ''],
    [{ is_cleared: 'true' }, 'a'],
    [{ is_cleared: 'no,null' }, 'bcd'],
    [{ score: '2.5,10' }, 'bd'],
    [{ 'score.min': '2.5' }, 'bd'],
    [{ 'score.max': '2.5', 'score.exclude': '1' }, 'b'],
    [{ time_created: '1700000001' }, 'b'],
    [{ 'time_created.min': '1700000001000', 'time_created.max': '2023-11-14T22:13:21Z' }, 'b'],
    [{ 'time_created.max': 'now' }, 'a'],
    [{ resolution_comment: 'sure' }, 'ad'],
    [{ resolution_comment: '0% S' }, 'a'],
    [{ resolution_comment: '%u' }, ''],
    [{ resolution_comment: 'e_t' }, 'a'],
    [{ resolution_comment: 'e_' }, 'a'],
    [{ resolution_comment: ' \\ ' }, 'b'],
    [{ resolution_comment: "' or 1=1 --" }, ''],
    [{ 'analyse.type': 'c' }, 'c'],
    [{ 'analyse.type': 'b', status: 'new' }, ''],
  ])('finds for %o the rows %s', async (query, expected) => {
    expect(await matching(query)).toBe(expected)
  })

  it('search finds a text in the named field', async () => {
    const found = await db
      .select({ id: orders.id })
      .from(orders)
      .where(containsText(sql`${orders.id} || ${orders.status}`, 'bDO'))
    expect(found).toEqual([{ id: 'b' }])
  })

  it('refuses filters on unknown fields', () => {
    expect(() => listConditions([{ field: 'status', operator: 'json', conditions: [] }], columns)).toThrow(
      TypeError,
    )
    expect(() => listConditions([{ field: 'gone', operator: 'min', value: 1 }], columns)).toThrow(TypeError)
    expect(() => listConditions([{ field: 'meta_data', operator: 'min', value: 1 }], columns)).toThrow(
      TypeError,
    )
  })
})

describe('conditions on metadata', () => {
  it.each([
    ['transaction_id==abc-1', 'a'],
    ['transaction_id==ABC-1', ''],
    ['transaction_id!=abc-1', 'b'],
    ['transaction_id==null', 'cd'],
    ['transaction_id!=null', 'ab'],
    ['person.name==first', 'a'],
    ['person.tags.1==y', 'b'],
    ['person.tags.1==x', ''],
    ['list.0.n==-1', 'd'],
    ['flag==true', 'c'],
    ['flag!=true', 'd'],
    ['person==null', 'cd'],
    ['person!=null', 'ab'],
    ['person.second==null', 'abcd'],
    ['amount==9', 'a'],
    ['amount==9.0', ''],
    ['amount>9', 'bd'],
    ['amount>=9', 'abd'],
    ['amount<10.5', 'a'],
    ['amount<=10.5', 'ab'],
    ['amount>1e20', 'd'],
    ['amount>9,transaction_id!=null', 'b'],
    ['on>2000', ''],
    ['on<3000', ''],
    ['list.0.n<0,list.1>=100', 'd'],
    ['%==first', ''],
  ])('finds for %s the rows %s', async (condition, expected) => {
    expect(await matchingMetadata(condition)).toBe(expected)
  })

  it('hostile paths and values are treated as plain text', async () => {
    const path = ["' or 1 --", 'a']
    const conditions = ['==', '!=', '<'] as const
    for (const comparison of conditions) {
      const value = comparison === '<' ? 1 : "') or 1 --"
      const filter = {
        field: 'meta_data',
        operator: 'json' as const,
        conditions: [{ path, comparison, value }],
      }
      const found = await db
        .select({ id: orders.id })
        .from(orders)
        .where(and(...listConditions([filter], columns)))
      expect(found).toEqual([])
    }
  })

  it('compares long values by their first 200 characters', async () => {
    expect(await matchingMetadata(`long==${longText}`)).toBe('b')
    expect(await matchingMetadata(`long==${longText.slice(0, 199)}`)).toBe('')
    expect(await matchingMetadata(`long!=${longText}`)).toBe('')
  })

  it.each(['a==b', 'a!=b', 'a<1', 'a==null'])(
    'holds as many as a request may send: %s',
    async (condition) => {
      expect(await matchingMetadata(Array(100).fill(condition).join(','))).toBe(
        condition === 'a==null' ? 'abcd' : '',
      )
    },
  )

  const planOf = async (where: SQL[]) => {
    const query = db
      .select({ id: orders.id })
      .from(orders)
      .where(and(...where))
    const plan = await db.all<{ detail: string }>(sql`explain query plan ${query.getSQL()}`)
    return plan.map(({ detail }) => detail).join('\n')
  }
  const planFor = (condition: string) => {
    const { filters } = parseListQuery(new URLSearchParams({ meta_data: condition }), fields, startMs)
    return planOf(listConditions(filters, columns))
  }

  it.each(['amount>9', 'amount!=9', 'amount==null', 'amount==9'])(
    'looks %s up by row and path',
    async (condition) => {
      const plan = await planFor(condition)
      expect(plan).toMatch(/SEARCH order_leaves USING .*owner=\?/)
      expect(plan).not.toContain('SCAN order_leaves')
    },
  )
})

describe('the leaves of a JSON object', () => {
  it('flattenJson returns scalars as text, the outermost first', () => {
    const value = { a: { b: [true, -0, { c: 'x' }] }, d: 1.5, e: 1e21, f: 'null', g: false, h: '' }
    expect(flattenJson(value)).toEqual([
      { path: 'd', value: '1.5' },
      { path: 'e', value: '1e+21' },
      { path: 'f', value: 'null' },
      { path: 'g', value: 'false' },
      { path: 'h', value: '' },
      { path: 'a.b.0', value: 'true' },
      { path: 'a.b.1', value: '0' },
      { path: 'a.b.2.c', value: 'x' },
    ])
  })

  it.each([
    [null],
    [1],
    ['text'],
    [[]],
    [{}],
    [{ a: null, b: {}, c: [] }],
    [{ '': 1, 'a.b': 2, 'c.': { d: 1 } }],
  ])('flattenJson returns no leaves for %j', (value) => {
    expect(flattenJson(value)).toEqual([])
  })

  it('flattenJson omits keys that the database would confuse', () => {
    expect(flattenJson({ '\ud800': 1, '\ud801': 2, '😀': 3 })).toEqual([{ path: '😀', value: '3' }])
  })

  it('flattenJson cuts values at 200 whole characters', () => {
    const [plain, faces] = flattenJson({ plain: 'y'.repeat(201), faces: `y${'😀'.repeat(300)}` })
    expect(plain?.value).toBe('y'.repeat(200))
    expect(faces?.value).toBe(`y${'😀'.repeat(199)}`)
  })

  it('flattenJson limits the number of leaves, keeping the outer ones', () => {
    const leaves = flattenJson({ list: Array.from({ length: 100_000 }, (_, i) => i), last: 'kept' })
    expect(leaves).toHaveLength(200)
    expect(leaves[0]).toEqual({ path: 'last', value: 'kept' })
  })

  it('flattenJson limits depth and path length', () => {
    let deep: unknown = { leaf: 1 }
    for (let i = 0; i < 5000; i++) deep = { a: deep }
    expect(flattenJson({ deep, ['k'.repeat(501)]: 1, ok: 1 })).toEqual([{ path: 'ok', value: '1' }])
  })
})
