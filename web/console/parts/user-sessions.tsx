/** The sessions and service tokens of a user: who is signed in where, since when, and their end. */
import { useState } from 'preact/hooks'
import type { Answers, ServiceToken, User } from '../../../client/index.ts'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { programOf } from '../program.ts'
import { api, may } from '../session.ts'
import { Action, CopyButton, Form, TextField } from './forms.tsx'
import { Card, Time } from './layout.tsx'
import { confirm } from './notices.tsx'
import { PagedTable, pageQuery } from './paged-table.tsx'

type Session = Answers['GET /api/users/{user}/sessions']['items'][number]

const pageSize = 10
const longLived: readonly string[] = ['CLIENT_SERVICE', 'OPERATOR']

/** A token that programs use instead of signing in. It is shown once. */
function NewToken({ user, onMade }: { user: User; onMade(): void }) {
  const [name, setName] = useState('')
  const [token, setToken] = useState<ServiceToken | null>(null)
  const issue = async () => {
    const path = { user: user.user_id }
    const query = name.trim() === '' ? {} : { name }
    setToken(await api('GET /api/authorize/service_token/{user}', { path, query }))
    onMade()
  }
  return (
    <Card title={t('Service token')}>
      {token ? (
        <>
          <p class="hint">{t('Copy the token now: it is not shown again.')}</p>
          <code class="secret">{token.access_token}</code>
          <p>
            {t('It ends')} <Time at={token.expire_date} />
          </p>
          <CopyButton text={token.access_token} />
        </>
      ) : (
        <>
          <p class="hint">{t('Programs send it with each call instead of signing in.')}</p>
          <Form submit={t('New token')} onSubmit={issue}>
            <TextField
              label={t('Name')}
              hint={t('What it is for: it is listed below by this name.')}
              maxLength={100}
              value={name}
              onValue={setName}
            />
          </Form>
        </>
      )}
    </Card>
  )
}

const nameOf = ({ name }: Session): string => {
  if (name === null) return t('Unknown program')
  return name === 'service token' ? t('Service token') : programOf(name)
}

async function endSession({ user_id, token_id }: Session, name: string): Promise<boolean> {
  const asked = {
    title: t('End {name}?', { name }),
    text: t('Whoever uses it must sign in again, or needs a new token.'),
    action: t('End'),
  }
  if (!(await confirm(asked))) return false
  await api('DELETE /api/users/{user}/sessions/{session}', { path: { user: user_id, session: token_id } })
  return true
}

export function UserSessions({ user }: { user: User }) {
  const path = { user: user.user_id }
  const { limit, offset } = pageQuery(pageSize)
  const loaded = useLoaded(
    (signal) => api('GET /api/users/{user}/sessions', { path, query: { limit, offset }, signal }),
    [user.user_id, offset],
  )
  const end = async (session: Session) => {
    if (await endSession(session, nameOf(session))) loaded.reload()
  }
  return (
    <>
      {may('create', 'service_token') && longLived.includes(user.user_type) && (
        <NewToken user={user} onMade={loaded.reload} />
      )}
      <Card title={t('Sessions and tokens')}>
        <PagedTable
          of={loaded}
          size={pageSize}
          label={t('Sessions and tokens')}
          empty={t('Nobody is signed in.')}
          keyOf={({ token_id }) => token_id}
          columns={[
            [t('Program'), (session) => <span title={session.name ?? ''}>{nameOf(session)}</span>],
            [t('Since'), ({ time_created }) => <Time at={time_created} />],
            [t('Last used'), ({ time_used }) => (time_used === null ? '–' : <Time at={time_used} />)],
            [t('Ends'), ({ expire_date }) => <Time at={expire_date} />],
            [
              '',
              (session) =>
                session.is_current ? t('This session') : <Action run={() => end(session)}>{t('End')}</Action>,
            ],
          ]}
        />
      </Card>
    </>
  )
}
