/** The log of webhook deliveries. Failed ones are repeated by the service, and by hand. */
import type { Delivery } from '../../../client/index.ts'
import { t, word } from '../language.ts'
import { calmMs, useLoaded } from '../load.ts'
import { CompanyQuery } from '../parts/company-filter.tsx'
import { Action, SearchQuery } from '../parts/forms.tsx'
import { Time, View } from '../parts/layout.tsx'
import { PagedTable, pageQuery } from '../parts/paged-table.tsx'
import { asked, linkTo, route } from '../route.ts'
import { api, may } from '../session.ts'
import { deliveryWords } from '../words.ts'

/** The service names no error of an attempt that was delivered. */
const Outcome = ({ error }: Delivery) => (
  <span class={`state ${error === null ? 'good' : 'bad'}`}>
    {error === null ? t('delivered') : word(error, deliveryWords)}
  </span>
)

/** The last attempt of each event on the page. */
function lastAttempts(items: readonly Delivery[]): ReadonlySet<Delivery> {
  const last = new Map<string, Delivery>()
  for (const item of items)
    if (item.attempt >= (last.get(item.event_id)?.attempt ?? 0)) last.set(item.event_id, item)
  return new Set(last.values())
}

export function Webhooks() {
  const list = useLoaded(
    (signal) =>
      api('GET /api/webhook_deliveries', {
        query: {
          ...pageQuery(),
          folder_id: asked('folder')?.trim() || undefined,
          company_id: asked('company'),
        },
        signal,
      }),
    [route.value.query.toString()],
    () => calmMs,
  )
  const last = lastAttempts(list.data?.items ?? [])
  const repeat = async ({ event_id, folder_id }: Delivery) => {
    await api('POST /api/webhook_deliveries', { body: { event_id, folder_id } })
    list.reload()
  }
  return (
    <View title={t('Webhooks')}>
      <p class="hint">
        {t('Attempts to deliver the results of folders. Failed ones are repeated by themselves.')}
      </p>
      <search class="filters">
        <SearchQuery label={t('Id of the folder')} name="folder" />
        <CompanyQuery />
      </search>
      <PagedTable
        of={list}
        empty={t('No webhook was sent.')}
        label={t('Webhooks')}
        keyOf={({ event_id, attempt }) => `${event_id} ${attempt}`}
        columns={[
          [t('Time'), ({ time_created }) => <Time at={time_created} />],
          [t('Result'), Outcome],
          [t('Status'), ({ status }) => status ?? '–'],
          [t('Attempt'), ({ attempt }) => attempt],
          [
            t('Folder'),
            ({ folder_id }) => <a href={linkTo('folders', folder_id)}>{folder_id.slice(0, 8)}</a>,
          ],
          ...(may('create', 'delivery_log')
            ? [
                [
                  t('Actions'),
                  (row: Delivery) =>
                    last.has(row) && (
                      <Action class="link" run={() => repeat(row)} done={t('It is being sent again.')}>
                        {t('Send again')}
                        <span class="unseen"> {row.folder_id.slice(0, 8)}</span>
                      </Action>
                    ),
                ] as const,
              ]
            : []),
        ]}
      />
    </View>
  )
}
