/** The list of companies. */
import { useState } from 'preact/hooks'
import type { Company } from '../../../client/index.ts'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { CheckField, Form, SearchQuery, TextField } from '../parts/forms.tsx'
import { Card, View } from '../parts/layout.tsx'
import { PagedTable, pageQuery } from '../parts/paged-table.tsx'
import { asked, goTo, linkTo, route } from '../route.ts'
import { api, may } from '../session.ts'

function NewCompany() {
  const [name, setName] = useState('')
  const [sandbox, setSandbox] = useState(false)
  const create = async () => {
    const { company_id } = await api('POST /api/companies', { body: { name, sandbox } })
    goTo('companies', company_id)
  }
  return (
    <Card title={t('New company')}>
      <Form submit={t('Create')} onSubmit={create}>
        <TextField label={t('Name')} required value={name} onValue={setName} />
        <CheckField
          label={t('Sandbox, for ever: tests say how analyses end')}
          checked={sandbox}
          onChecked={setSandbox}
        />
      </Form>
    </Card>
  )
}

const stateOf = ({ in_deletion, sandbox }: Company): string =>
  in_deletion ? t('being removed') : sandbox ? t('Sandbox') : ''

export function Companies() {
  const list = useLoaded(
    (signal) =>
      api('GET /api/companies', {
        query: {
          ...pageQuery(),
          sorting: 'name{asc}',
          search_text: asked('search'),
        },
        signal,
      }),
    [route.value.query.toString()],
  )
  return (
    <View title={t('Companies')}>
      <search class="filters">
        <SearchQuery label={t('Name')} name="search" />
      </search>
      <PagedTable
        of={list}
        empty={t('No company fits these filters.')}
        label={t('Companies')}
        keyOf={({ company_id }) => company_id}
        columns={[
          [t('Name'), ({ company_id, name }) => <a href={linkTo('companies', company_id)}>{name}</a>],
          ...(list.data?.items.some((company) => stateOf(company) !== '')
            ? [[t('State'), stateOf] as const]
            : []),
          [t('Id'), ({ company_id }) => <code>{company_id}</code>],
        ]}
      />
      {may('create', 'company') && <NewCompany />}
    </View>
  )
}
