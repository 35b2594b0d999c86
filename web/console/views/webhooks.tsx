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
import { deliveryWords, stateWords } from '../words.ts'

/** The service names no error of an attempt that was delivered. */
const Outcome = ({ error, is_last, time_retry }: Delivery) => (
  <>
    <span class={`state ${error === null ? 'good' : 'bad'}`}>
      {error === null ? t('delivered') : word(error, deliveryWords)}
    </span>
    {error !== null && is_last && (
      <span class="hint">
        {time_retry === null
          ? t('given up')
          : [t('Next attempt:'), ' ', <Time key="retry" at={time_retry} />]}
      </span>
    )}
  </>
)

/** What was told: the state of a link, or the result of a folder. */
const Told = ({ folder_id, link_state }: Delivery) => (
  <>
    {link_state !== null && `${t('Link')}: ${word(link_state, stateWords)} `}
    {folder_id !== null && <a href={linkTo('folders', folder_id)}>{folder_id.slice(0, 8)}</a>}
  </>
)

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
  const repeat = async ({ event_id, folder_id, capture_link_id }: Delivery) => {
    await api('POST /api/webhook_deliveries', { body: { event_id, folder_id, capture_link_id } })
    list.reload()
  }
  return (
    <View title={t('Webhooks')}>
      <p class="hint">
        {t('What companies are told of folders and links. Failed attempts are repeated by themselves.')}
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
          [t('Event'), Told],
          [t('Address'), ({ url }) => (url === null ? '–' : <code>{url}</code>)],
          ...(may('create', 'delivery_log')
            ? [
                [
                  t('Actions'),
                  (row: Delivery) =>
                    row.is_last &&
                    row.url !== null && (
                      <Action class="link" run={() => repeat(row)} done={t('It is being sent again.')}>
                        {t('Send again')}
                        <span class="unseen"> {(row.folder_id ?? row.event_id).slice(0, 8)}</span>
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
