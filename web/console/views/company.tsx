/** One company: its name, what it calls a case, and the secret that signs its webhooks. */
import { useState } from 'preact/hooks'
import type { Company as CompanyAnswer, WebhookSecret } from '../../../client/index.ts'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { Action, CopyButton, Form, TextField } from '../parts/forms.tsx'
import { Card, Facts, Show, Time, View } from '../parts/layout.tsx'
import { confirm } from '../parts/notices.tsx'
import { goTo, linkToFiltered } from '../route.ts'
import { api, may, seesCompanies } from '../session.ts'

function Settings({ company, reload }: { company: CompanyAnswer; reload(): void }) {
  const [name, setName] = useState(company.name)
  const [reference_field, setField] = useState(company.reference_field ?? '')
  const save = async () => {
    const path = { company: company.company_id }
    await api('PATCH /api/companies/{company}', { path, body: { name, reference_field } })
    reload()
  }
  return (
    <Card title={t('Settings')}>
      <Form submit={t('Save')} done={t('Saved')} onSubmit={save}>
        <TextField label={t('Name')} required value={name} onValue={setName} />
        <TextField
          label={t('Reference of folders')}
          hint={t('The name of the field in the metadata of folders that says what a case is called.')}
          maxLength={200}
          value={reference_field}
          onValue={setField}
        />
      </Form>
    </Card>
  )
}

/** The secret is asked for only when it is to be seen. */
function Secret({ id }: { id: string }) {
  const [secret, setSecret] = useState<WebhookSecret | null>(null)
  const path = { company: id }
  const read = async () => setSecret(await api('GET /api/companies/{company}/webhook_secret', { path }))
  const renew = async () => {
    const asked = {
      title: t('Make a new secret?'),
      text: t('Receivers must learn the new secret. The old one signs as well for a day.'),
      action: t('New secret'),
    }
    if (await confirm(asked))
      setSecret(await api('POST /api/companies/{company}/webhook_secret', { path, body: {} }))
  }
  return (
    <Card title={t('Webhook secret')}>
      <p class="hint">
        {t('It signs the webhooks of the company, so that receivers can tell them from others.')}
      </p>
      {secret && (
        <>
          <code class="secret">{secret.secret}</code>
          {secret.previous_signs_until && (
            <p class="hint">
              {t('The old secret signs until')} <Time at={secret.previous_signs_until} />
            </p>
          )}
        </>
      )}
      <div class="row">
        {secret ? <CopyButton text={secret.secret} /> : <Action run={read}>{t('Show')}</Action>}
        <Action run={renew}>{t('New secret')}</Action>
      </div>
    </Card>
  )
}

async function removeCompany({ company_id, name }: CompanyAnswer): Promise<void> {
  const asked = {
    title: t('Remove {name}?', { name }),
    text: t('The company is removed for ever with its users, folders and collections.'),
    action: t('Remove'),
  }
  if (!(await confirm(asked))) return
  await api('DELETE /api/companies/{company}', { path: { company: company_id } })
  goTo('companies')
}

export function Company({ id }: { id: string }) {
  const loaded = useLoaded(
    (signal) => api('GET /api/companies/{company}', { path: { company: id }, signal }),
    [id],
  )
  const { data, reload } = loaded
  return (
    <View
      title={data?.name ?? t('Company')}
      actions={
        data &&
        may('delete', 'company') && (
          <Action class="danger" run={() => removeCompany(data)}>
            {t('Remove')}
          </Action>
        )
      }
    >
      <Show of={loaded}>
        {(company) => (
          <div class="tiles">
            {may('update', 'company') && <Settings company={company} reload={reload} />}
            {may('read', 'webhook_secret') && <Secret id={id} />}
            <Card title={t('About')}>
              <Facts
                of={[
                  [t('Id'), company.company_id],
                  [t('State'), company.sandbox ? t('Sandbox') : null],
                  [
                    t('Users'),
                    seesCompanies() && (
                      <a key="users" href={linkToFiltered('users', { company: id })}>
                        {t('Show')}
                        <span class="unseen"> {t('Users')}</span>
                      </a>
                    ),
                  ],
                ]}
              />
            </Card>
          </div>
        )}
      </Show>
    </View>
  )
}
