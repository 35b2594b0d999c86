/** Sessions of capturing apps. */
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { CompanyQuery } from '../parts/company-filter.tsx'
import { Time, View } from '../parts/layout.tsx'
import { PagedTable, pageQuery } from '../parts/paged-table.tsx'
import { asked, linkTo, route } from '../route.ts'
import { api } from '../session.ts'

/** What an app says about its device, in a few words. */
const describeDevice = (device: Record<string, unknown>): string =>
  Object.values(device)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .slice(0, 4)
    .join(', ')

export function EventSessions() {
  const list = useLoaded(
    (signal) =>
      api('GET /api/event_sessions', {
        query: { ...pageQuery(), company_id: asked('company') },
        signal,
      }),
    [route.value.query.toString()],
  )
  return (
    <View title={t('App sessions')}>
      <p class="hint">{t('What capturing apps report about their steps and errors.')}</p>
      <search class="filters">
        <CompanyQuery />
      </search>
      <PagedTable
        of={list}
        empty={t('No app has reported anything.')}
        label={t('App sessions')}
        keyOf={({ event_session_id }) => event_session_id}
        columns={[
          [
            t('Session'),
            ({ event_session_id }) => (
              <a href={linkTo('events', event_session_id)}>{event_session_id.slice(0, 8)}</a>
            ),
          ],
          [t('Changed'), ({ time_updated }) => <Time at={time_updated} />],
          [t('Device'), ({ device }) => describeDevice(device)],
          [t('Events'), ({ records_count }) => records_count],
        ]}
      />
    </View>
  )
}
