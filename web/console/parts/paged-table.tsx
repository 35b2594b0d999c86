/** A list, page by page, as a table. */
import type { Page } from '../../../client/index.ts'
import type { Loaded } from '../load.ts'
import { Empty, Pages, pageOf, Show, Table, type TableProps } from './layout.tsx'

const usualSize = 50

/** The part of a list that the address names, as the API asks for it. */
export const pageQuery = (size = usualSize) => ({ limit: size, offset: pageOf() * size })

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  of: Loaded<Pick<Page<Row>, 'items' | 'total_count'>>
  /** Rows of a full page. */
  size?: number
  /** What an empty list means. */
  empty: string
}

export const PagedTable = <Row,>({ of, size = usualSize, empty, ...table }: PagedTableProps<Row>) => (
  <Show of={of}>
    {({ items, total_count }) => (
      <>
        {items.length > 0 ? <Table {...table} rows={items} /> : pageOf() === 0 && <Empty>{empty}</Empty>}
        <Pages size={size} total={total_count} shown={items.length} />
      </>
    )}
  </Show>
)
