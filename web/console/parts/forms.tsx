/** Fields and buttons. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { copyText, selectText } from '../../copy.ts'
import { t } from '../language.ts'
import { describeProblem } from '../load.ts'
import { asked, setQuery } from '../route.ts'
import { attempt, tell } from './notices.tsx'

interface FieldProps {
  label: string
  hint?: string | undefined
  children: (id: string) => ComponentChildren
}

/** A control with its label. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {hint && <p class="hint">{hint}</p>}
    </div>
  )
}

interface TextFieldProps {
  label: string
  hint?: string
  type?: 'text' | 'email' | 'password' | 'date'
  autocomplete?: string
  required?: boolean
  maxLength?: number
  value: string
  onValue(value: string): void
}

export const TextField = ({ label, hint, onValue, type = 'text', ...input }: TextFieldProps) => (
  <Field label={label} hint={hint}>
    {(id) => (
      <input
        {...input}
        type={type as 'text'}
        id={id}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
)

interface PasswordFieldProps {
  label: string
  /** Whether it is to be made up, not to be remembered. */
  isNew?: boolean
  value: string
  onValue(value: string): void
}

export const PasswordField = ({ isNew = false, ...field }: PasswordFieldProps) => (
  <TextField {...field} type="password" autocomplete={isNew ? 'new-password' : 'current-password'} required />
)

interface CodeFieldProps {
  value: string
  onValue(value: string): void
  /** Whether it takes the focus when it appears. */
  isFocused?: boolean
}

/** The code that an authenticator app shows. */
export function CodeField({ value, onValue, isFocused = false }: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isFocused) input.current?.focus()
  }, [isFocused])
  return (
    <Field label={t('Code')} hint={t('The six digits that your authenticator app shows now.')}>
      {(id) => (
        <input
          ref={input}
          id={id}
          type="text"
          inputMode="numeric"
          autocomplete="one-time-code"
          required
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** A text to search for, which counts when it is complete. */
export const SearchField = ({
  label,
  value,
  onValue,
}: Pick<TextFieldProps, 'label' | 'value' | 'onValue'>) => (
  <Field label={label}>
    {(id) => (
      <input
        type="search"
        id={id}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
)

/** A text that the address of a list asks for. */
export const SearchQuery = ({ label, name }: { label: string; name: string }) => (
  <SearchField
    label={label}
    value={asked(name) ?? ''}
    onValue={(text) => setQuery({ [name]: text, page: null })}
  />
)

interface ChoiceProps {
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onValue(value: string): void
}

export const ChoiceField = ({ label, value, options, onValue }: ChoiceProps) => (
  <Field label={label}>
    {(id) => (
      <select id={id} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)

interface RangeProps {
  label: string
  value: number
  range: readonly [min: number, max: number]
  onValue(value: number): void
}

export const RangeField = ({ label, value, range: [min, max], onValue }: RangeProps) => (
  <Field label={label}>
    {(id) => (
      <input
        type="range"
        id={id}
        min={min}
        max={max}
        step="any"
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.valueAsNumber)}
      />
    )}
  </Field>
)

interface CheckProps {
  label: string
  checked: boolean
  disabled?: boolean
  onChecked(checked: boolean): void
}

export const CheckField = ({ label, checked, disabled, onChecked }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
    />
    {label}
  </label>
)

interface ActionProps {
  /** Runs on a click; the button waits for it, and a failure is told. */
  run(): Promise<unknown>
  done?: string
  class?: string
  children: ComponentChildren
}

/** A button that were disabled while it works would lose the focus for good. */
export function Action({ run, done, children, ...button }: ActionProps) {
  const [isBusy, setBusy] = useState(false)
  const onClick = async () => {
    if (isBusy) return
    setBusy(true)
    await attempt(run, done)
    setBusy(false)
  }
  return (
    <button {...button} type="button" aria-disabled={isBusy} aria-busy={isBusy} onClick={onClick}>
      {children}
    </button>
  )
}

interface FormProps {
  submit: string
  done?: string
  onSubmit(): Promise<unknown>
  children: ComponentChildren
  /** Further buttons. */
  more?: ComponentChildren
}

/** A form whose button waits for what it does. What is refused stands above the button, until the next try. */
export function Form({ submit, done, onSubmit, children, more }: FormProps) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const run = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setProblem(null)
    try {
      await onSubmit()
      if (done) tell(done)
    } catch (error) {
      setProblem(describeProblem(error))
    }
    setBusy(false)
  }
  return (
    <form class="form" onSubmit={run}>
      {children}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="row">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {submit}
        </button>
        {more}
      </div>
    </form>
  )
}

/** Copies a text that the page shows as code. */
export function CopyButton({ text }: { text: string }) {
  const copy = async () => {
    if (await copyText(text)) return tell(t('Copied'))
    const shown = [...document.querySelectorAll('code')].find(({ textContent }) => textContent === text)
    if (shown) selectText(shown)
    tell(t('The browser does not let this page copy. The text is selected: press the keys that copy.'), 'bad')
  }
  return (
    <button type="button" class="link" onClick={() => void copy()}>
      {t('Copy')}
    </button>
  )
}
