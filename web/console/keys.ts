/**
 * Keys of a view: single letters, while nobody types. Who speaks to the computer, or meets letters by accident, switches them off
 * (WCAG 2.1.4).
 */
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { keep, readKept } from '../kept.ts'
import type { Text } from './language.ts'

export interface Key {
  key: string
  text: Text
  run(): unknown
}

const storageKey = 'vivace-keys'

export const areKeysOn = signal(readKept('localStorage', storageKey) !== 'off')

export function switchKeys(isOn: boolean): void {
  keep('localStorage', storageKey, isOn ? null : 'off')
  areKeysOn.value = isOn
}

/** Those of what is shown now. */
export const currentKeys = signal<readonly Key[]>([])

/** Offers keys as long as the caller is shown. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys)
  latest.current = keys
  // Before the next key is pressed.
  useLayoutEffect(() => {
    const offered = keys.map(({ key, text }) => ({
      ...{ key, text },
      run: () => latest.current.find((one) => one.key === key)?.run(),
    }))
    currentKeys.value = [...currentKeys.peek(), ...offered]
    return () => {
      currentKeys.value = currentKeys.peek().filter((one) => !offered.includes(one))
    }
  }, [keys.map(({ key }) => key).join()])
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

window.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey, repeat, isComposing, defaultPrevented } = event
  if (!areKeysOn.peek() || ctrlKey || metaKey || altKey || repeat || isComposing || defaultPrevented) return
  if (isTyping(event) || document.querySelector('dialog[open]')) return
  const found = currentKeys.peek().findLast((one) => one.key === key.toLowerCase())
  if (!found) return
  event.preventDefault()
  found.run()
})
