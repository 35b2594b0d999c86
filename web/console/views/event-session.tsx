/** The events of one session of an app. */
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { Card, Empty, Facts, Pages, pageOf, Show, Table, Time, View } from '../parts/layout.tsx'
import { api } from '../session.ts'

const pageSize = 100

export function EventSession({ id }: { id: string }) {
  const page = pageOf()
  const path = { session: id }
  const session = useLoaded((signal) => api('GET /api/event_sessions/{session}', { path, signal }), [id])
  const records = useLoaded(
    (signal) =>
      api('GET /api/event_sessions/{session}/records', {
        path,
        query: { limit: pageSize, offset: page * pageSize, sorting: 'time_created{asc}' },
        signal,
      }),
    [id, page],
  )
  const show = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
  return (
    <View title={t('App session {id}', { id: id.slice(0, 8) })}>
      <Show of={session}>
        {({ device, time_created, time_updated }) => (
          <Card title={t('Device')}>
            <Facts
              of={[
                ...Object.entries(device).map(([name, value]) => [name, show(value)] as const),
                [t('Created'), <Time key="created" at={time_created} />],
                [t('Changed'), <Time key="changed" at={time_updated} />],
              ]}
            />
          </Card>
        )}
      </Show>
      <Show of={records}>
        {({ items, total_count }) => (
          <>
            {items.length === 0 ? (
              <Empty>{t('The session has no events.')}</Empty>
            ) : (
              <Table
                label={t('Events')}
                rows={items.map((item, place) => ({ ...item, place }))}
                keyOf={({ place }) => place}
                columns={[
                  [t('Time'), ({ timemark, time_created }) => <Time at={timemark ?? time_created} />],
                  [t('Event'), ({ event }) => event],
                  [t('Content'), ({ record }) => <code>{JSON.stringify(record)}</code>],
                ]}
              />
            )}
            <Pages size={pageSize} total={total_count} shown={items.length} />
          </>
        )}
      </Show>
    </View>
  )
}
