/** The log of webhook deliveries. Failed ones are repeated by the service. */
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { CompanyFilter } from '../parts/company-filter.tsx'
import { SearchField } from '../parts/forms.tsx'
import { Empty, Pages, pageOf, Show, Table, Time, View } from '../parts/layout.tsx'
import { linkTo, route, setQuery } from '../route.ts'
import { api } from '../session.ts'

const pageSize = 50
const lookMs = 15_000

const isDelivered = (status: number | null): boolean => status !== null && status < 300

export function Webhooks() {
  const { query } = route.value
  const list = useLoaded(
    (signal) =>
      api('GET /api/webhook_deliveries', {
        query: {
          limit: pageSize,
          offset: pageOf() * pageSize,
          folder_id: query.get('folder') ?? undefined,
          company_id: query.get('company') ?? undefined,
        },
        signal,
      }),
    [query.toString()],
    () => lookMs,
  )
  return (
    <View title={t('Webhooks')}>
      <p class="hint">
        {t('Attempts to deliver the results of folders. Failed ones are repeated by themselves.')}
      </p>
      <search class="filters">
        <SearchField
          label={t('Id of the folder')}
          value={query.get('folder') ?? ''}
          onValue={(folder) => setQuery({ folder: folder.trim(), page: null })}
        />
        <CompanyFilter
          value={query.get('company') ?? ''}
          onValue={(company) => setQuery({ company, page: null })}
        />
      </search>
      <Show of={list}>
        {({ items, total_count }) => (
          <>
            {items.length === 0 ? (
              <Empty>{t('No webhook was sent.')}</Empty>
            ) : (
              <Table
                label={t('Webhooks')}
                rows={items}
                keyOf={({ event_id, attempt }) => `${event_id} ${attempt}`}
                columns={[
                  [t('Time'), ({ time_created }) => <Time at={time_created} />],
                  [
                    t('Result'),
                    ({ status, error }) => (
                      <span class={`state ${isDelivered(status) ? 'good' : 'bad'}`}>
                        {isDelivered(status) ? t('delivered') : (error ?? status)}
                      </span>
                    ),
                  ],
                  [t('Status'), ({ status }) => status ?? '–'],
                  [t('Attempt'), ({ attempt }) => attempt],
                  [
                    t('Folder'),
                    ({ folder_id }) => <a href={linkTo('folders', folder_id)}>{folder_id.slice(0, 8)}</a>,
                  ],
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
