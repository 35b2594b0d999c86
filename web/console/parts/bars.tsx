/** Scores on their scales, with a mark for each threshold. */
import { t } from '../language.ts'

type Tone = 'good' | 'bad' | 'open' | 'none'

interface BarProps {
  name: string
  hint?: string | undefined
  /** Share of the scale, 0…1; `null` without evidence. */
  value: number | null
  /** Thresholds as shares of the scale. */
  marks?: readonly number[]
  tone: Tone
  /** The value in words. */
  text: string
}

const toneSigns: Record<Tone, string> = { good: '✓', bad: '✕', open: '?', none: '' }

const percent = (share: number): string => `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`

export function Bar({ name, hint, value, marks = [], tone, text }: BarProps) {
  const spoken = { good: t('passes'), bad: t('does not pass'), open: t('To be decided'), none: '' }[tone]
  return (
    <li class={`bar ${tone}`}>
      <span class="bar-name">{name}</span>
      <span class="bar-text">
        {text}
        {tone !== 'none' && <span aria-hidden="true"> {toneSigns[tone]}</span>}
        {spoken && <span class="unseen">, {spoken}</span>}
      </span>
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ inlineSize: percent(value ?? 0) }} />
        {marks.map((mark) => (
          <span key={mark} class="mark" style={{ insetInlineStart: percent(mark) }} />
        ))}
      </span>
      {hint && <span class="hint">{hint}</span>}
    </li>
  )
}
