/** Asks for what calls need: signs a user in, or takes a token where the server has no users. */
import { h } from '../dom.ts'
import { t } from './language.ts'
import { codePlace, hasUsers, isToken, Refusal, signIn } from './service.ts'

export interface Access {
  token: string
  /** Whether the token is of a session, which signing out ends. */
  isSession: boolean
}

interface FormParts {
  title: string
  reason: string
  fields: readonly { input: HTMLInputElement; label: string }[]
  action: string
  /** @throws {Error} whose message is shown in the form */
  submit(): Promise<void>
}

function makeForm({ title, reason, fields, action, submit }: FormParts): HTMLElement {
  const problem = h('p', { class: 'problem', role: 'alert' })
  const button = h('button', { type: 'submit', class: 'primary' }, action)
  const onSubmit = async (event: Event) => {
    event.preventDefault()
    button.disabled = true
    problem.textContent = ''
    try {
      await submit()
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error)
      button.disabled = false
      fields.findLast(({ input }) => input.required)?.input.focus()
    }
  }
  return h(
    'form',
    { class: 'card sign-in', submit: (event: Event) => void onSubmit(event) },
    h('h2', {}, title),
    h('p', { class: 'hint' }, reason),
    ...fields.map(({ input, label }) =>
      h('div', { hidden: !input.required }, h('label', { for: input.id }, label), input),
    ),
    problem,
    h('div', { class: 'row' }, button),
  )
}

function signInForm(reason: string, onAccess: (access: Access) => void): HTMLElement {
  const email = h('input', { type: 'email', id: 'email', autocomplete: 'username', required: true })
  const password = h('input', {
    type: 'password',
    id: 'password',
    autocomplete: 'current-password',
    required: true,
  })
  // Shown when the account asks for it.
  const code = h('input', { id: 'code', autocomplete: 'one-time-code', inputmode: 'numeric' })
  const enter = async () => {
    try {
      onAccess({ token: await signIn(email.value, password.value, code.value), isSession: true })
    } catch (error) {
      if (error instanceof Refusal && error.place === codePlace) {
        code.required = true
        code.value = ''
        code.parentElement!.hidden = false
      }
      throw error
    }
  }
  return makeForm({
    title: t('Sign in'),
    reason,
    fields: [
      { input: email, label: t('E-mail') },
      { input: password, label: t('Password') },
      { input: code, label: t('Code of your authenticator app') },
    ],
    action: t('Sign in'),
    submit: enter,
  })
}

function tokenForm(refusal: string | null, onAccess: (access: Access) => void): HTMLElement {
  // No password to keep, yet nothing to read over a shoulder.
  const token = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true })
  return makeForm({
    title: t('A token is needed'),
    reason: [
      refusal === null
        ? t('This server answers to callers with a token.')
        : t('The token was refused: {refusal}.', { refusal }),
      t('It has no users of its own: it takes the tokens of a whole service that has the same secret key.'),
      t('The token stays in this page and is forgotten with it.'),
    ].join(' '),
    fields: [{ input: token, label: t('Token (X-Forensic-Access-Token)') }],
    action: t('Use it'),
    submit: async () => {
      const text = token.value.trim()
      if (!isToken(text))
        throw new Error(t('A token has Latin letters, digits and signs only, without spaces.'))
      onAccess({ token: text, isSession: false })
    },
  })
}

/**
 * The form that leads to access on this server.
 * @param reason why a user should sign in
 * @param refusal what the service said of the last token; `null` if there was none
 */
export const accessForm = async (
  reason: string,
  refusal: string | null,
  onAccess: (access: Access) => void,
): Promise<HTMLElement> => ((await hasUsers()) ? signInForm(reason, onAccess) : tokenForm(refusal, onAccess))
