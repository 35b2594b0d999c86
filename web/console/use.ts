/** Whether somebody uses the console. */
import { signal } from '@preact/signals'

const idleAfterMs = 60_000
const checkMs = 5000

let lastUseMs = Date.now()

export const unusedMs = (): number => Date.now() - lastUseMs

/** True once nobody has used it for a minute. */
export const isIdle = signal(false)

export function noteUse(): void {
  lastUseMs = Date.now()
  isIdle.value = false
}

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'])
  window.addEventListener(event, noteUse, { passive: true, capture: true })
setInterval(() => {
  isIdle.value = unusedMs() > idleAfterMs
}, checkMs)
