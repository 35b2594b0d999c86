/** The second factor of a user: the code of an authenticator app beside the password. */
import { useState } from 'preact/hooks'
import type { Answers, User } from '../../../client/index.ts'
import { t } from '../language.ts'
import { api } from '../session.ts'
import { Action, CodeField, CopyButton, Form, PasswordField } from './forms.tsx'
import { Card } from './layout.tsx'
import { confirm } from './notices.tsx'
import { QrCode } from './qr-code.tsx'

interface Props {
  user: User
  reload(): void
}

type Offered = Answers['POST /api/users/{user}/second_factor']

const switchTo = (user: User, isActive: boolean, code: string) =>
  api('PATCH /api/users/{user}/second_factor', {
    path: { user: user.user_id },
    body: { is_active: isActive, code },
  })

/** The secret for the app, and the first code, which puts it in force. */
function Offer({ user, offered, reload }: Props & { offered: Offered }) {
  const [code, setCode] = useState('')
  const confirmCode = async () => {
    await switchTo(user, true, code)
    reload()
  }
  return (
    <>
      <p>
        {t('Scan the code with your authenticator app, or type the secret into it. It is shown only now.')}
      </p>
      <QrCode svg={offered.qr} />
      <p>
        <a href={offered.url}>{t('Open it in an app on this device')}</a>
      </p>
      <p>
        <code>{offered.secret}</code> <CopyButton text={offered.secret} />
      </p>
      <Form submit={t('Switch on')} done={t('Signing in takes a code from now on.')} onSubmit={confirmCode}>
        <CodeField value={code} onValue={setCode} isFocused />
      </Form>
    </>
  )
}

function SwitchOn({ user, reload }: Props) {
  const [password, setPassword] = useState('')
  const [offered, setOffered] = useState<Offered | null>(null)
  const ask = async () => {
    const path = { user: user.user_id }
    setOffered(await api('POST /api/users/{user}/second_factor', { path, body: { password } }))
  }
  if (offered) return <Offer user={user} offered={offered} reload={reload} />
  return (
    <>
      <p class="hint">{t('Whoever learns your password still needs your phone to sign in.')}</p>
      <Form submit={t('Set up')} onSubmit={ask}>
        <PasswordField label={t('Password')} value={password} onValue={setPassword} />
      </Form>
    </>
  )
}

function SwitchOff({ user, reload }: Props) {
  const [code, setCode] = useState('')
  const off = async () => {
    await switchTo(user, false, code)
    reload()
  }
  return (
    <>
      <p class="hint">{t('Signing in takes a code of your authenticator app.')}</p>
      <Form submit={t('Switch off')} done={t('Signing in takes no code any more.')} onSubmit={off}>
        <CodeField value={code} onValue={setCode} />
      </Form>
    </>
  )
}

export const OwnSecondFactor = (props: Props) => (
  <Card title={t('Second factor')}>
    {props.user.has_second_factor ? <SwitchOff {...props} /> : <SwitchOn {...props} />}
  </Card>
)

/** For people who lost their app. */
export function OthersSecondFactor({ user, reload }: Props) {
  const off = async () => {
    const asked = {
      title: t('Switch off the second factor of {name}?', { name: user.email }),
      text: t('The password alone is enough to sign in until it is set up again.'),
      action: t('Switch off'),
    }
    if (!(await confirm(asked))) return
    await api('PATCH /api/users/{user}/second_factor', {
      path: { user: user.user_id },
      body: { is_active: false },
    })
    reload()
  }
  return (
    <Card title={t('Second factor')}>
      <p class="hint">
        {t('Signing in takes a code of an authenticator app. Switch it off for a person who lost it.')}
      </p>
      <Action class="danger" run={off}>
        {t('Switch off')}
      </Action>
    </Card>
  )
}
