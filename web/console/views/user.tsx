/** One user: name, role, rights, password, sessions. */
import { useState } from 'preact/hooks'
import type { User as UserAnswer } from '../../../client/index.ts'
import { type Text, t, word } from '../language.ts'
import { useLoaded } from '../load.ts'
import { Action, CheckField, ChoiceField, Form, PasswordField, TextField } from '../parts/forms.tsx'
import { Card, Facts, Show, View } from '../parts/layout.tsx'
import { confirm } from '../parts/notices.tsx'
import { OthersSecondFactor, OwnSecondFactor } from '../parts/second-factor.tsx'
import { UserSessions } from '../parts/user-sessions.tsx'
import { goTo, linkTo } from '../route.ts'
import { api, may, scopeOf, session, startRights } from '../session.ts'
import { roleWords, typeWords } from '../words.ts'
import { rolesToGive } from './users.tsx'

interface UserProps {
  user: UserAnswer
  reload(): void
}

const isSelf = ({ user_id }: UserAnswer): boolean => session.value?.user.user_id === user_id

/** Whether the caller may change more of a user than the own name. */
const mayManage = (): boolean => !['self', null].includes(scopeOf('user', 'update'))

const startRightNames = Object.values(startRights)

function Profile({ user, reload }: UserProps) {
  const [firstName, setFirstName] = useState(user.first_name ?? '')
  const [lastName, setLastName] = useState(user.last_name ?? '')
  const [role, setRole] = useState<string>(user.user_type)
  const [isActive, setActive] = useState(user.is_active)
  const [rights, setRights] = useState(startRightNames.filter((name) => user[name]))
  const isManaged = mayManage()
  const save = async () => {
    const changedRights = startRightNames.filter((name) => rights.includes(name) !== user[name])
    const managed = {
      ...(role === user.user_type ? {} : { user_type: role }),
      ...(isActive === user.is_active ? {} : { is_active: isActive }),
      ...Object.fromEntries(changedRights.map((name) => [name, rights.includes(name)])),
    }
    await api('PATCH /api/users/{user}', {
      path: { user: user.user_id },
      body: { first_name: firstName || null, last_name: lastName || null, ...managed },
    })
    reload()
  }
  return (
    <Card title={t('Profile')}>
      <Form submit={t('Save')} done={t('Saved')} onSubmit={save}>
        <TextField label={t('First name')} value={firstName} onValue={setFirstName} />
        <TextField label={t('Last name')} value={lastName} onValue={setLastName} />
        {isManaged && (
          <>
            <ChoiceField label={t('Role')} value={role} options={rolesToGive()} onValue={setRole} />
            <CheckField label={t('May sign in')} checked={isActive} onChecked={setActive} />
            <fieldset>
              <legend>{t('May start')}</legend>
              <div class="checks">
                {Object.entries(startRights).map(([type, name]) => (
                  <CheckField
                    key={name}
                    label={word(type, typeWords)}
                    checked={rights.includes(name)}
                    onChecked={(isOn) =>
                      setRights(startRightNames.filter((one) => (one === name ? isOn : rights.includes(one))))
                    }
                  />
                ))}
              </div>
            </fieldset>
          </>
        )}
      </Form>
    </Card>
  )
}

function Password({ user }: { user: UserAnswer }) {
  const [oldPassword, setOld] = useState('')
  const [password, setPassword] = useState('')
  const change = async () => {
    await api('POST /api/users/{user}/change-password', {
      path: { user: user.user_id },
      body: { new_password: password, ...(isSelf(user) ? { old_password: oldPassword } : {}) },
    })
    setOld('')
    setPassword('')
  }
  return (
    <Card title={t('Password')}>
      {user.organisation_sign_in && (
        <p class="hint">
          {t(
            'This user signs in with the organisation. A password that you set is valid until the next such sign-in.',
          )}
        </p>
      )}
      <Form submit={t('Change the password')} done={t('The password is changed.')} onSubmit={change}>
        {isSelf(user) && <PasswordField label={t('Old password')} value={oldPassword} onValue={setOld} />}
        <PasswordField label={t('New password')} isNew value={password} onValue={setPassword} />
      </Form>
    </Card>
  )
}

async function removeUser({ user_id, email }: UserAnswer): Promise<void> {
  const asked = {
    title: t('Remove {name}?', { name: email }),
    text: t('The user is signed out and can no longer sign in.'),
    action: t('Remove'),
  }
  if (!(await confirm(asked))) return
  await api('DELETE /api/users/{user}', { path: { user: user_id } })
  goTo('users')
}

/** The name of a company; its id where it cannot be read. Those who manage companies get there by it. */
function CompanyName({ id }: { id: string }) {
  const { data, isLoading } = useLoaded(
    (signal) => api('GET /api/companies/{company}', { path: { company: id }, signal }),
    [id],
  )
  if (isLoading) return <>…</>
  const name = data?.name || <code>{id}</code>
  return may('update', 'company') ? <a href={linkTo('companies', id)}>{name}</a> : <span>{name}</span>
}

const descriptionOf = (role: string): Text => roleWords[role] ?? 'User'

export function User({ id }: { id: string }) {
  const loaded = useLoaded((signal) => api('GET /api/users/{user}', { path: { user: id }, signal }), [id])
  const { data, reload } = loaded
  return (
    <View
      title={data?.email ?? t('User')}
      actions={
        data &&
        may('delete', 'user') &&
        !isSelf(data) && (
          <Action class="danger" run={() => removeUser(data)}>
            {t('Remove')}
          </Action>
        )
      }
    >
      <Show of={loaded}>
        {(user) => (
          <>
            <div class="tiles">
              <Profile user={user} reload={reload} />
              {(isSelf(user) ? !user.organisation_sign_in : mayManage()) && <Password user={user} />}
              {isSelf(user) && !user.organisation_sign_in && <OwnSecondFactor user={user} reload={reload} />}
              {!isSelf(user) && user.has_second_factor && mayManage() && (
                <OthersSecondFactor user={user} reload={reload} />
              )}
              <Card title={t('About')}>
                <Facts
                  of={[
                    [t('Role'), t(descriptionOf(user.user_type))],
                    [t('Company'), user.company_id && <CompanyName id={user.company_id} />],
                    [t('Id'), user.user_id],
                  ]}
                />
              </Card>
            </div>
            {(isSelf(user) || mayManage()) && <UserSessions user={user} />}
          </>
        )}
      </Show>
    </View>
  )
}
