/** The list of users. */
import { useState } from 'preact/hooks'
import type { User } from '../../../client/index.ts'
import { userTypes } from '../../../src/identity/roles.ts'
import { t, word } from '../language.ts'
import { useLoaded } from '../load.ts'
import { CompanyFilter, CompanyQuery, useCompanies } from '../parts/company-filter.tsx'
import { ChoiceField, Form, PasswordField, SearchQuery, TextField } from '../parts/forms.tsx'
import { Card, View } from '../parts/layout.tsx'
import { PagedTable, pageQuery } from '../parts/paged-table.tsx'
import { asked, goTo, linkTo, route } from '../route.ts'
import { api, may, seesCompanies } from '../session.ts'
import { roleWords } from '../words.ts'

const nameOf = ({ first_name, last_name }: User): string => [first_name, last_name].filter(Boolean).join(' ')

/** The roles that the user may give. */
export const rolesToGive = () =>
  userTypes
    .filter((type) => seesCompanies() || type.startsWith('CLIENT'))
    .map((type) => [type, word(type, roleWords)] as const)

function NewUser() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [role, setRole] = useState('CLIENT_OPERATOR')
  const [company, setCompany] = useState('')
  // Those of the service belong to none.
  const isOfCompany = role.startsWith('CLIENT')
  const create = async () => {
    if (isOfCompany && !company && seesCompanies()) throw new Error(t('Choose a company.'))
    const { user_id } = await api('POST /api/users', {
      body: {
        credentials: { email, password },
        profile: { user_type: role, ...(isOfCompany && company ? { company_id: company } : {}) },
      },
    })
    goTo('users', user_id)
  }
  return (
    <Card title={t('New user')}>
      <Form submit={t('Create')} onSubmit={create}>
        <TextField
          label={t('E-mail')}
          type="email"
          autocomplete="off"
          required
          value={email}
          onValue={setEmail}
        />
        <PasswordField label={t('Password')} isNew value={password} onValue={setPassword} />
        <ChoiceField label={t('Role')} value={role} options={rolesToGive()} onValue={setRole} />
        {isOfCompany && <CompanyFilter value={company} none="–" onValue={setCompany} />}
      </Form>
    </Card>
  )
}

export function Users() {
  const list = useLoaded(
    (signal) =>
      api('GET /api/users', {
        query: {
          ...pageQuery(),
          sorting: 'email{asc}',
          search_text: asked('search'),
          company_id: asked('company'),
        },
        signal,
      }),
    [route.value.query.toString()],
  )
  const companies = useCompanies()
  return (
    <View title={t('Users')}>
      <search class="filters">
        <SearchQuery label={t('E-mail')} name="search" />
        <CompanyQuery />
      </search>
      <PagedTable
        of={list}
        empty={t('No user fits these filters.')}
        label={t('Users')}
        keyOf={({ user_id }) => user_id}
        columns={[
          [t('E-mail'), ({ user_id, email }) => <a href={linkTo('users', user_id)}>{email}</a>],
          [t('Full name'), nameOf],
          [t('Role'), ({ user_type }) => word(user_type, roleWords)],
          ...(seesCompanies()
            ? [
                [
                  t('Company'),
                  ({ company_id }: User) =>
                    companies.find((one) => one.company_id === company_id)?.name ?? '',
                ] as const,
              ]
            : []),
          [t('Active'), ({ is_active }) => (is_active ? t('yes') : t('no'))],
        ]}
      />
      {may('create', 'user') && <NewUser />}
    </View>
  )
}
