import { describe, expect, it } from 'vitest'
import { type ListFields, parseFlag, parseListQuery } from '../../../src/contract/list-query.ts'
import { AppError } from '../../../src/errors.ts'

/** 2023-11-14T22:13:20.123Z. */
const nowMs = 1_700_000_000_123
const todayMs = 1_699_920_000_000

const fields: ListFields = {
  folder_id: { kind: 'uuid' },
  time_created: { kind: 'time', sortable: true },
  time_updated: { kind: 'time', sortable: true },
  resolution_status: { kind: 'choice', choices: ['INITIAL', 'SUCCESS', 'DECLINED'] },
  'analyse.resolution_status': { kind: 'choice', choices: ['SUCCESS', 'DECLINED'] },
  'analyse.time_created': { kind: 'time' },
  is_cleared: { kind: 'boolean' },
  score: { kind: 'number' },
  alias: { kind: 'text', sortable: true },
  operator_status: { kind: 'text', operators: ['in'] },
  search_text: { kind: 'search' },
  meta_data: { kind: 'json' },
}

const parse = (query: string) => parseListQuery(new URLSearchParams(query), fields, nowMs)
const filtersOf = (query: string) => parse(query).filters

function refusalOf(query: string): AppError {
  try {
    parse(query)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error(`not refused: ${query}`)
}
const codeOf = (query: string) => refusalOf(query).code

const timeOf = (text: string) => {
  const [filter] = filtersOf(new URLSearchParams({ 'time_created.min': text }).toString())
  return filter?.operator === 'min' ? filter.value : null
}

describe('paging', () => {
  it('paging defaults to the first hundred', () => {
    expect(parse('')).toEqual({
      offset: 0,
      limit: 100,
      totalOmit: false,
      sorting: [{ field: 'time_created', direction: 'desc' }],
      filters: [],
      ignored: [],
    })
  })

  it.each([
    ['offset=7&limit=5000', { offset: 7, limit: 5000 }],
    ['limit=-1', { offset: 0, limit: null }],
    ['limit=0', { limit: 0 }],
    ['limit=many&offset=1.5', { offset: 0, limit: 100 }],
    ['limit=&offset=', { offset: 0, limit: 100 }],
    ['limit=5&limit=6', { limit: 6 }],
    ['total_omit=True', { totalOmit: true }],
    ['total_omit=perhaps', { totalOmit: false }],
  ])('reads %s', (query, expected) => {
    expect(parse(query)).toMatchObject(expected)
  })

  it.each(['offset=-1', 'offset=99999999999999999999', 'limit=-2', 'limit=5001'])('refuses %s', (query) => {
    expect(codeOf(query)).toBe('value_invalid')
  })

  it('reports a limit over the maximum in the words of the contract', () => {
    const { message, details } = refusalOf('limit=5001')
    expect(message).toBe('Invalid limit value for pagination - exceed max available')
    expect(details).toMatchObject({ key_path: 'limit', expected: 'from 0 to 5000, or -1 for all' })
  })
})

describe('sorting', () => {
  it.each([
    ['sorting=time_updated{asc}', [['time_updated', 'asc']]],
    ['sorting=time_updated', [['time_updated', 'desc']]],
    [
      'sorting=alias{ASC},%20time_created{desc}',
      [
        ['alias', 'asc'],
        ['time_created', 'desc'],
      ],
    ],
    ['sorting=', [['time_created', 'desc']]],
  ])('reads %s', (query, expected) => {
    expect(parse(query).sorting.map(({ field, direction }) => [field, direction])).toEqual(expected)
  })

  it('is empty for a list without times', () => {
    expect(parseListQuery(new URLSearchParams(), { name: { kind: 'text' } }, nowMs).sorting).toEqual([])
  })

  it.each([
    ['sorting=nothing{asc}', { descriptor: 'nothing{asc}', field: 'nothing' }],
    ['sorting=score', { descriptor: 'score', field: 'score' }],
    ['sorting=alias{up}', { descriptor: 'alias{up}', field: '' }],
    ['sorting=alias,', { descriptor: '', field: '' }],
    ['sorting=constructor', { descriptor: 'constructor', field: 'constructor' }],
  ])('refuses %s and names the place', (query, place) => {
    const { code, details } = refusalOf(query)
    expect(code).toBe('value_invalid')
    expect(details).toMatchObject({ key_path: 'sorting', ...place })
  })

  it('errors repeat only name characters of a sorting descriptor', () => {
    const { details } = refusalOf(`sorting=${encodeURIComponent(`<b>"x${'y'.repeat(500)}`)}`)
    expect((details as { descriptor: string }).descriptor).toMatch(/^bx[y]{62}$/)
  })

  it('refuses too many sorting fields', () => {
    expect(codeOf(`sorting=${'alias,'.repeat(5000)}`)).toBe('value_invalid')
  })
})

describe('filters by value', () => {
  it.each([
    ['alias=a,b', { field: 'alias', operator: 'in', values: ['a', 'b'] }],
    ['alias=a&alias=b,null', { field: 'alias', operator: 'in', values: ['a', 'b', null] }],
    ['alias.exclude=a,b', { field: 'alias', operator: 'not_in', values: ['a', 'b'] }],
    ['alias=', { field: 'alias', operator: 'in', values: [''] }],
    ['alias=Null', { field: 'alias', operator: 'in', values: ['Null'] }],
    ['resolution_status=success', { field: 'resolution_status', operator: 'in', values: ['SUCCESS'] }],
    [
      'analyse.resolution_status.exclude=Declined',
      { field: 'analyse.resolution_status', operator: 'not_in', values: ['DECLINED'] },
    ],
    ['is_cleared=TRUE,off,null', { field: 'is_cleared', operator: 'in', values: [true, false, null] }],
    ['score=1,-2.5,1e3', { field: 'score', operator: 'in', values: [1, -2.5, 1000] }],
    ['score.max=0.5', { field: 'score', operator: 'max', value: 0.5 }],
    ['alias.min=m', { field: 'alias', operator: 'min', value: 'm' }],
    ['search_text=one,%20two', { field: 'search_text', operator: 'search', value: 'one, two' }],
    ['time_created=1700000000', { field: 'time_created', operator: 'in', values: [1_700_000_000_000] }],
  ])('reads %s', (query, expected) => {
    expect(filtersOf(query)).toEqual([expected])
  })

  it('accepts a UUID in any case', () => {
    expect(filtersOf('folder_id=0A1B2C3D-0000-4000-8000-00000000000F')).toEqual([
      { field: 'folder_id', operator: 'in', values: ['0a1b2c3d-0000-4000-8000-00000000000f'] },
    ])
  })

  it('keeps all filters of a field', () => {
    expect(filtersOf('score.min=1&score.max=2&score.exclude=1.5').map(({ operator }) => operator)).toEqual([
      'not_in',
      'min',
      'max',
    ])
  })

  it.each(['_=17', 'search_text='])('has no filter for: %s', (query) => {
    expect(filtersOf(query)).toEqual([])
  })

  it.each([
    ['with_analyses=true', ['with_analyses']],
    ['constructor=1&__proto__=2&toString.min=3', ['constructor', '__proto__', 'toString.min']],
    ['page=2&page=3&page_size=10&alias=a&_=4', ['page', 'page_size']],
    [`${encodeURIComponent('<b>Åda "x"\r\n')}=1&${encodeURIComponent('中')}=2`, ['bdax']],
    [`${'a'.repeat(9000)}=1`, ['a'.repeat(64)]],
  ])('ignores what means nothing, and names it: %s', (query, ignored) => {
    expect(parse(query).ignored).toEqual(ignored)
  })

  it('refuses more unknown names than it compares', () => {
    const query = (count: number) => Array.from({ length: count }, (_, i) => `q${i}=1`).join('&')
    expect(parse(query(20)).ignored).toHaveLength(20)
    expect(refusalOf(query(21))).toMatchObject({
      code: 'value_invalid',
      details: { count: 21, count_max: 20 },
    })
  })

  it.each([
    ['operator_status.min=b', 'operator_status.min', 'operator_status'],
    ['search_text.exclude=a', 'search_text.exclude', 'search_text'],
    ['resolution_staus=SUCCESS', 'resolution_staus', 'resolution_status'],
    ['time_create.min=2024-01-01', 'time_create.min', 'time_created.min'],
    ['Folder_ID=a', 'Folder_ID', 'folder_id'],
    ['resolution=SUCCESS', 'resolution', 'resolution_status'],
    ['status=SUCCESS', 'status', 'resolution_status'],
    ['folder=a', 'folder', 'folder_id'],
    ['search=Ada', 'search', 'search_text'],
  ])('refuses a misspelled filter by its name: %s', (query, name, suggestion) => {
    const error = refusalOf(query)
    expect([error.code, error.details]).toEqual(['value_invalid', { key_path: name }])
    expect(error.message).toBe(`Unknown param '${name}'; did you mean '${suggestion}'?`)
  })

  it('repeats no more of a misspelled name than the characters of names', () => {
    const { message, details } = refusalOf(`${encodeURIComponent('<al"ias>')}=1`)
    const told = "Unknown param 'alias'; did you mean 'alias'?"
    expect([message, details]).toEqual([told, { key_path: 'alias' }])
  })

  it('accepts the further parameters of a list', () => {
    const search = new URLSearchParams('with_analyses=true')
    expect(parseListQuery(search, {}, 0, ['with_analyses']).filters).toEqual([])
  })

  it.each([
    ['folder_id=17', 'value_invalid'],
    ['folder_id=', 'value_invalid'],
    ['resolution_status=GOOD', 'value_invalid'],
    ['is_cleared=perhaps', 'value_invalid'],
    ['score=ten', 'type_invalid'],
    ['score=0x1f', 'type_invalid'],
    ['score=Infinity', 'type_invalid'],
    ['score=1e999', 'type_invalid'],
    ['score.min=', 'type_invalid'],
    ['score.min=null', 'type_invalid'],
    ['alias.min=null', 'type_invalid'],
    ['score.min=1,2', 'value_invalid'],
    ['score.max=1&score.max=2', 'value_invalid'],
    ['time_created.min=yesterday', 'type_invalid'],
    [`alias=${'a'.repeat(1001)}`, 'value_invalid'],
    [`search_text=${'a'.repeat(1001)}`, 'value_invalid'],
    [`alias=${'a,'.repeat(1000)}`, 'value_invalid'],
    [`meta_data=${'a==b,'.repeat(100)}a==b`, 'value_invalid'],
    [`meta_data=${'a==b,'.repeat(60)}a==b${'&search_text=a'.repeat(60)}`, 'value_invalid'],
    [`alias=${'a,'.repeat(600)}&score=${'1,'.repeat(600)}`, 'value_invalid'],
  ])('refuses %.40s', (query, code) => {
    expect(codeOf(query)).toBe(code)
  })

  it('filter errors name the parameter and never its value', () => {
    const wrongType = refusalOf('time_created.min=s3cret')
    expect(wrongType.message).toMatch(/^Invalid data type for param time_created.min: must be Unix seconds/)
    expect(refusalOf('is_cleared=s3cret').message).toContain('must be true or false')
    expect(wrongType.details).toMatchObject({ key_path: 'time_created.min' })
    expect(refusalOf('folder_id=s3cret').message).toBe('Invalid value for uuid field')
    for (const query of ['is_cleared=s3cret', 'resolution_status=s3cret', 'meta_data=s3cret']) {
      const { message, details } = refusalOf(query)
      expect(`${message} ${JSON.stringify(details)}`).not.toContain('s3cret')
    }
  })
})

describe('times', () => {
  it.each([
    ['0', 0],
    ['1700000000', 1_700_000_000_000],
    ['1700000000.25', 1_700_000_000_250],
    ['1.7e9', 1_700_000_000_000],
    ['9999999999', 9_999_999_999_000],
    ['10000000000', 10_000_000_000],
    ['1700000000123', 1_700_000_000_123],
    ['1700000000123.6', 1_700_000_000_124],
    ['1700000000123456', 1_700_000_000_123],
    ['now', nowMs],
    ['Today', todayMs],
    ['2023-11-14', todayMs],
    ['2023-11-14T22:13:20.123Z', nowMs],
    ['2023-11-14T22:13:20.123456', nowMs],
    ['2023-11-14 22:13', todayMs + 80_000_000 - 20_000],
    ['2023-11-15T01:13:20.123+03:00', nowMs],
    ['2023-11-15T01:13:20.123 03:00', nowMs],
    ['2023-11-14T16:43:20.123-0530', nowMs],
    ['2024-02-29', 1_709_164_800_000],
  ])('reads %s', (text, expected) => {
    expect(timeOf(text)).toBe(expected)
  })

  it.each([
    '2023-02-29',
    '2023-13-01',
    '2023-00-01',
    '2023-01-00',
    '2023-11-14T24:00:00Z',
    '2023-11-14T23:60:00Z',
    '2023-11-14T22:13:20+24:00',
    '14.11.2023',
    '1e300',
    '99999999999999999999',
    '',
    'null',
  ])('refuses %s', (text) => {
    expect(codeOf(new URLSearchParams({ 'time_created.max': text }).toString())).toBe('type_invalid')
  })
})

describe('JSON filters', () => {
  it('reads JSON filters with unencoded comparisons', () => {
    const query = 'meta_data=transaction_id==abc-1&time_created.min=1700000000000&resolution_status=success'
    expect(filtersOf(new URL(`http://host/api/folders/?${query}`).search)).toEqual([
      { field: 'time_created', operator: 'min', value: 1_700_000_000_000 },
      { field: 'resolution_status', operator: 'in', values: ['SUCCESS'] },
      {
        field: 'meta_data',
        operator: 'json',
        conditions: [{ path: ['transaction_id'], comparison: '==', value: 'abc-1' }],
      },
    ])
  })

  it.each([
    ['a==b', [[['a'], '==', 'b']]],
    ['a.0.b != c d', [[['a', '0', 'b'], '!=', 'c d']]],
    ['a==null', [[['a'], '==', null]]],
    ['a!=null', [[['a'], '!=', null]]],
    ['a==007', [[['a'], '==', '007']]],
    ['a===', [[['a'], '==', '=']]],
    ['a==b==c', [[['a'], '==', 'b==c']]],
    [
      'a<1,b>=-2.5,c<=3,d>4',
      [
        [['a'], '<', 1],
        [['b'], '>=', -2.5],
        [['c'], '<=', 3],
        [['d'], '>', 4],
      ],
    ],
  ])('reads %s', (text, expected) => {
    const [filter] = filtersOf(`meta_data=${encodeURIComponent(text)}`)
    const conditions = filter?.operator === 'json' ? filter.conditions : []
    expect(conditions.map(({ path, comparison, value }) => [path, comparison, value])).toEqual(expected)
  })

  it('combines repeated JSON filters', () => {
    const [filter] = filtersOf('meta_data=a==1&meta_data=b==2')
    expect(filter).toMatchObject({ conditions: [{ path: ['a'] }, { path: ['b'] }] })
  })

  it.each([
    ['', 'structure_invalid'],
    ['a', 'structure_invalid'],
    ['a=b', 'structure_invalid'],
    ['==b', 'structure_invalid'],
    ['a==', 'structure_invalid'],
    ['a..b==c', 'structure_invalid'],
    ['a==b,c', 'structure_invalid'],
    ['a==b,', 'structure_invalid'],
    ['a<b', 'type_invalid'],
    ['a>=null', 'type_invalid'],
  ])('refuses %s', (text, code) => {
    expect(codeOf(`meta_data=${encodeURIComponent(text)}`)).toBe(code)
  })
})

describe('switches', () => {
  it.each([
    ['with_user=1', true],
    ['with_user=Yes', true],
    ['with_user=ON', true],
    ['with_user=t', true],
    ['with_user=F', false],
    ['with_user=no', false],
    ['with_user=1&with_user=0', false],
  ])('reads %s', (query, expected) => {
    expect(parseFlag(new URLSearchParams(query), 'with_user', !expected)).toBe(expected)
  })

  it.each(['', 'with_user=', 'with_user=2', 'with_user=maybe'])('falls back for "%s"', (query) => {
    expect(parseFlag(new URLSearchParams(query), 'with_user', true)).toBe(true)
    expect(parseFlag(new URLSearchParams(query), 'with_user', false)).toBe(false)
  })
})
