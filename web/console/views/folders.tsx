/** The list of folders: filters, pages, live states. */
import type { Company, Folder, Page } from '../../../client/index.ts'
import { t, word } from '../language.ts'
import { calmMs, useLoaded } from '../load.ts'
import { CompanyFilter } from '../parts/company-filter.tsx'
import { ChoiceField, SearchField, TextField } from '../parts/forms.tsx'
import { Card, Empty, Pages, pageOf, Show, State, Time, View } from '../parts/layout.tsx'
import { StoredImage } from '../parts/media.tsx'
import { referenceOf } from '../reference.ts'
import { linkTo, route, setQuery } from '../route.ts'
import { api, may, seesCompanies } from '../session.ts'
import { stateWords, typeWords } from '../words.ts'

const pageSize = 20
/** Milliseconds between two looks while analyses run. */
const busyMs = 3000
const daySeconds = 24 * 3600

const states = ['OPERATOR_REQUIRED', 'PROCESSING', 'SUCCESS', 'DECLINED', 'FAILED', 'INITIAL']
const decisions = ['SUCCESS', 'DECLINED']

type Listed = Folder & { company?: Company }

/** The start of a day of the browser's time zone, in Unix seconds. */
const dayStart = (day: string | null): number | undefined => {
  const ms = day ? Date.parse(`${day}T00:00`) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms / 1000
}

/** A text, or a condition on a field of the metadata, such as `order==A-17`. */
const searchFor = (text: string | undefined) =>
  text && /^[^\s=!<>]+\s*([=!]=|[<>]=?\s*-?\d)/.test(text) ? { meta_data: text } : { search_text: text }

async function loadFolders(signal: AbortSignal): Promise<Page<Listed>> {
  const { query } = route.peek()
  const until = dayStart(query.get('until'))
  const given = (name: string) => query.get(name) ?? undefined
  return api('GET /api/folders', {
    query: {
      limit: pageSize,
      offset: pageOf() * pageSize,
      with_analyses: true,
      with_company: true,
      system_resolution: given('state'),
      operator_status: given('operator'),
      'analyse.type': given('type'),
      ...searchFor(given('search')),
      company_id: given('company'),
      'time_created.min': dayStart(query.get('since')),
      'time_created.max': until === undefined ? undefined : until + daySeconds - 0.001,
    },
    signal,
  })
}

const nextLook = ({ items }: Page<Listed>): number =>
  items.some(({ system_resolution }) => system_resolution === 'PROCESSING') ? busyMs : calmMs

const isFiltered = (): boolean => [...route.value.query.keys()].some((name) => name !== 'page')

function Filters() {
  const { query } = route.value
  const value = (name: string) => query.get(name) ?? ''
  const set = (name: string) => (chosen: string) => setQuery({ [name]: chosen, page: null })
  const all = ['', t('All')] as const
  return (
    <search class="filters">
      <ChoiceField
        label={t('State')}
        value={value('state')}
        options={[all, ...states.map((name) => [name, word(name, stateWords)] as const)]}
        onValue={set('state')}
      />
      <ChoiceField
        label={t('Operator')}
        value={value('operator')}
        options={[
          all,
          ['null', t('Not decided')],
          ...decisions.map((name) => [name, word(name, stateWords)] as const),
        ]}
        onValue={set('operator')}
      />
      <ChoiceField
        label={t('Analysis')}
        value={value('type')}
        options={[all, ...Object.keys(typeWords).map((name) => [name, word(name, typeWords)] as const)]}
        onValue={set('type')}
      />
      <CompanyFilter value={value('company')} onValue={set('company')} />
      <TextField label={t('Since')} type="date" value={value('since')} onValue={set('since')} />
      <TextField label={t('Until')} type="date" value={value('until')} onValue={set('until')} />
      <SearchField label={t('Id or metadata')} value={value('search')} onValue={set('search')} />
    </search>
  )
}

function FolderRow({ folder }: { folder: Listed }) {
  const { folder_id, media = [], analyses = [], company, operator_status } = folder
  const reference = referenceOf(folder)
  return (
    <li>
      <a class="folder-row" href={linkTo('folders', folder_id)}>
        <span class="thumbs">
          {media.slice(0, 2).map(({ media_id, thumb_url }) => (
            <StoredImage key={media_id} link={thumb_url} alt="" />
          ))}
        </span>
        <span class="folder-name">
          {reference && <strong>{reference}</strong>}
          <Time at={folder.time_created} />
          <span class="hint">
            {company && seesCompanies() ? `${company.name} · ` : ''}
            <span class="id">{folder_id.slice(0, 8)}</span>
          </span>
        </span>
        <span class="folder-types">
          {analyses.map(({ analysis_id, type, resolution }) => (
            <span key={analysis_id} class="hint">
              {word(type, typeWords)}: {word(resolution, stateWords)}
            </span>
          ))}
        </span>
        <span class="folder-state">
          <State name={operator_status ?? folder.system_resolution} />
          {operator_status && <span class="hint">{t('by an operator')}</span>}
        </span>
      </a>
    </li>
  )
}

/** For the first administrator, who is alone. */
const FirstSteps = () => (
  <Card title={t('What to do next')}>
    <ol>
      <li>
        <a href={linkTo('companies')}>{t('Make a company')}</a>
      </li>
      <li>
        <a href={linkTo('users')}>{t('Make an operator in it')}</a>.{' '}
        {t('Administrators decide nothing: operators do.')}
      </li>
      <li>
        <a href="/guide/folders">{t('Make a token for your programs')}</a>
      </li>
    </ol>
  </Card>
)

export function Folders() {
  const list = useLoaded(loadFolders, [route.value.query.toString()], nextLook)
  return (
    <View title={t('Folders')}>
      <Filters />
      <Show of={list}>
        {({ items, total_count }) => (
          <>
            <p class="hint" aria-live="polite">
              {t('Folders: {count}', { count: total_count ?? items.length })}
            </p>
            {items.length === 0 ? (
              pageOf() === 0 && (
                <>
                  <Empty>
                    {isFiltered() ? t('No folder fits these filters.') : t('There are no folders yet.')}
                  </Empty>
                  {!isFiltered() && may('create', 'company') && <FirstSteps />}
                </>
              )
            ) : (
              <ul class="rows">
                {items.map((folder) => (
                  <FolderRow key={folder.folder_id} folder={folder} />
                ))}
              </ul>
            )}
            <Pages size={pageSize} total={total_count} shown={items.length} />
          </>
        )}
      </Show>
    </View>
  )
}
