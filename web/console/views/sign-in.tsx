/** Asks who the user is; after a session has ended it leads back to where the user was. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiError, AuthenticationError, NotFoundError } from '../../../client/index.ts'
import { t } from '../language.ts'
import { describeProblem, useLoaded } from '../load.ts'
import { leaveForProvider, takeReturn } from '../organisation.ts'
import { CodeField, PasswordField, TextField } from '../parts/forms.tsx'
import { api, asksForCode, ending, signIn, signInByCode } from '../session.ts'

function describeEnding(): string | null {
  if (ending.value === 'signed_out') return t('You have signed out.')
  if (ending.value === 'idle') return t('The session has ended because nothing was done for a while.')
  if (ending.value === 'expired') return t('The session has ended. Sign in again.')
  return null
}

const unfinished = () => t('Signing in with your organisation was not finished. Start again.')

/** What a failed sign-in with the organisation tells the user. */
function describeFailure(error: unknown): string {
  if (error instanceof AuthenticationError) return unfinished()
  if (error instanceof ApiError && error.status === 502)
    return t('The sign-in of your organisation does not work at the moment.')
  return describeProblem(error)
}

/** The way by the identity provider of the organisation, where the server has one. */
function useOrganisation(setBusy: (isBusy: boolean) => void, setProblem: (problem: string | null) => void) {
  const config = useLoaded((signal) => api('GET /api/config', { signal }), [])
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(null)
    await work()
      .catch((error: unknown) => setProblem(describeFailure(error)))
      .finally(() => setBusy(false))
  }
  useEffect(() => {
    const returned = takeReturn()
    if (returned === 'unfinished') setProblem(unfinished())
    else if (returned) void attempt(() => signInByCode(returned))
  }, [])
  return { isOffered: config.data?.organisation_sign_in === true, leave: () => attempt(leaveForProvider) }
}

export function SignIn({ choice }: { choice: ComponentChildren }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  /** Of the authenticator app; `null` until the account asks for one. */
  const [code, setCode] = useState<string | null>(null)
  const [tries, setTries] = useState(0)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    document.title = `${t('Sign in')} · Vivace`
  })
  const organisation = useOrganisation(setBusy, setProblem)
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setProblem(null)
    try {
      await signIn(email, password, code ?? '')
    } catch (error) {
      const isStateless = error instanceof NotFoundError
      const isOfCode = asksForCode(error)
      const isFirst = isOfCode && code === null
      setTries((count) => count + 1)
      if (isOfCode) setCode('')
      else if (error instanceof AuthenticationError) {
        setCode(null)
        setPassword('')
      }
      if (isStateless) setProblem(t('This server stores no folders, so it has no users.'))
      else if (isOfCode) setProblem(isFirst ? null : t('The code is wrong, or was used before.'))
      else setProblem(describeProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <main class="sign-in">
      <form class="card form" onSubmit={onSubmit}>
        <p class="brand">
          <img src="/pages/console/icon.svg" alt="" width="32" height="32" />
          Vivace
        </p>
        <h1>{t('Sign in')}</h1>
        <p class="hint" role="status">
          {describeEnding()}
        </p>
        <TextField
          label={t('E-mail')}
          type="email"
          autocomplete="username"
          required
          value={email}
          onValue={(value) => {
            setEmail(value)
            setCode(null)
          }}
        />
        <PasswordField label={t('Password')} value={password} onValue={setPassword} />
        {code !== null && <CodeField value={code} onValue={setCode} isFocused key={tries} />}
        <p class="problem" role="alert">
          {problem}
        </p>
        <div class="row">
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {t('Sign in')}
          </button>
          {choice}
        </div>
        {organisation.isOffered && (
          <button type="button" aria-disabled={isBusy} onClick={() => isBusy || void organisation.leave()}>
            {t('Sign in with your organisation')}
          </button>
        )}
      </form>
    </main>
  )
}
