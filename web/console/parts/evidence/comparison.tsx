/** Scores of a comparison. */
import { confOf, type EvidenceProps, technicalOf } from '../../evidence.ts'
import { formatScore, t } from '../../language.ts'
import { Bar } from '../bars.tsx'

/** Scores of pairs of media: at or above the upper threshold is good. */
export function ComparisonEvidence({ analysis, nameMedium }: EvidenceProps) {
  const min = confOf(analysis, 'threshold_min') ?? 0
  const max = confOf(analysis, 'threshold_max') ?? 1
  const pairs = technicalOf(analysis).comparisons ?? []
  const hint =
    min === max
      ? t('One person from {max} on.', { max })
      : t('One person from {max} on, two people below {min}.', { min, max })
  const samples = technicalOf(analysis).samples ?? []
  const crowds = pairs.length === 0 ? [] : samples.filter(({ faces }) => (faces ?? 0) > 1)
  return (
    <>
      <ul class="bars">
        {pairs.map(({ media_ids, confidence }) => (
          <Bar
            key={media_ids.join()}
            name={media_ids.map(nameMedium).join(' – ')}
            value={confidence}
            marks={min === max ? [max] : [min, max]}
            tone={confidence >= max ? 'good' : confidence < min ? 'bad' : 'open'}
            text={formatScore(confidence)}
          />
        ))}
      </ul>
      {pairs.length > 0 && <p class="hint">{hint}</p>}
      {crowds.map(({ media_id, faces }) => (
        <p key={media_id}>
          {t('{medium}: {count} faces, of which the largest was compared.', {
            ...{ medium: nameMedium(media_id), count: faces ?? 0 },
          })}
        </p>
      ))}
    </>
  )
}
