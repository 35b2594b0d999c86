/** What the keys do, and whether they do it. */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { areKeysOn, currentKeys, switchKeys } from '../keys.ts'
import { t } from '../language.ts'
import { CheckField } from './forms.tsx'

const isOpen = signal(false)

export const showKeys = (): void => {
  isOpen.value = true
}

export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen.value])
  const close = () => {
    isOpen.value = false
  }
  return (
    <dialog ref={dialog} class="question" aria-labelledby="keys" onClose={close}>
      <h2 id="keys">{t('Keys')}</h2>
      <dl class="keys">
        {currentKeys.value.map(({ key, text }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
      <CheckField label={t('Letters act as keys')} checked={areKeysOn.value} onChecked={switchKeys} />
      <div class="row">
        <button type="button" onClick={close}>
          {t('Close')}
        </button>
      </div>
    </dialog>
  )
}
