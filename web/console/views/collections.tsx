/** The list of collections. */
import { useState } from 'preact/hooks'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { CompanyFilter } from '../parts/company-filter.tsx'
import { Form, TextField } from '../parts/forms.tsx'
import { Card, Time, View } from '../parts/layout.tsx'
import { PagedTable, pageQuery } from '../parts/paged-table.tsx'
import { goTo, linkTo, route } from '../route.ts'
import { api, may } from '../session.ts'

function NewCollection() {
  const [alias, setAlias] = useState('')
  const [company, setCompany] = useState('')
  const create = async () => {
    const body = { alias, ...(company ? { company_id: company } : {}) }
    const { collection_id } = await api('POST /api/collections', { body })
    goTo('collections', collection_id)
  }
  return (
    <Card title={t('New collection')}>
      <Form submit={t('Create')} onSubmit={create}>
        <TextField label={t('Name')} required maxLength={200} value={alias} onValue={setAlias} />
        <CompanyFilter value={company} none={t('Your own')} onValue={setCompany} />
      </Form>
    </Card>
  )
}

export function Collections() {
  const list = useLoaded(
    async (signal) => {
      const query = { ...pageQuery(), sorting: 'alias{asc}' }
      return { items: await api('GET /api/collections', { query, signal }), total_count: null }
    },
    [route.value.query.toString()],
  )
  return (
    <View title={t('Collections')}>
      <PagedTable
        of={list}
        empty={t('There are no collections yet.')}
        label={t('Collections')}
        keyOf={({ collection_id }) => collection_id}
        columns={[
          [
            t('Name'),
            ({ collection_id, alias }) => <a href={linkTo('collections', collection_id)}>{alias}</a>,
          ],
          [t('Created'), ({ time_created }) => <Time at={time_created} />],
          [t('Id'), ({ collection_id }) => <code>{collection_id}</code>],
        ]}
      />
      {may('create', 'collection') && <NewCollection />}
    </View>
  )
}
