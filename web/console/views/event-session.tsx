/** The events of one session of an app. */
import { writeExactJson } from '../../../src/exact-json.ts'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { Card, Facts, ForeignFacts, pageOf, Show, Time, View } from '../parts/layout.tsx'
import { PagedTable, pageQuery } from '../parts/paged-table.tsx'
import { api } from '../session.ts'

const pageSize = 100

export function EventSession({ id }: { id: string }) {
  const path = { session: id }
  const session = useLoaded((signal) => api('GET /api/event_sessions/{session}', { path, signal }), [id])
  const records = useLoaded(
    async (signal) => {
      const query = { ...pageQuery(pageSize), sorting: 'time_created{asc}' }
      const page = await api('GET /api/event_sessions/{session}/records', { path, query, signal })
      return { ...page, items: page.items.map((item, place) => ({ ...item, place })) }
    },
    [id, pageOf()],
  )
  return (
    <View title={t('App session {id}', { id: id.slice(0, 8) })}>
      <Show of={session}>
        {({ device, time_created, time_updated }) => (
          <Card title={t('About')}>
            <Facts
              of={[
                [t('Created'), <Time key="created" at={time_created} />],
                [t('Changed'), <Time key="changed" at={time_updated} />],
              ]}
            />
            <ForeignFacts title={t('As the app describes its device')} of={device} />
          </Card>
        )}
      </Show>
      <PagedTable
        of={records}
        size={pageSize}
        empty={t('The session has no events.')}
        label={t('Events')}
        keyOf={({ place }) => place}
        columns={[
          [t('Time'), ({ timemark, time_created }) => <Time at={timemark ?? time_created} />],
          [t('Event'), ({ event }) => event],
          [t('Content'), ({ record }) => <code>{writeExactJson(record)}</code>],
        ]}
      />
    </View>
  )
}
