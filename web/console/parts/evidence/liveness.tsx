/** Attack scores of an analysis of liveness. */
import { confOf, detailOf, type EvidenceProps, isClip } from '../../evidence.ts'
import { formatScore, t, word } from '../../language.ts'
import { partHints, scoreWords } from '../../words.ts'
import { Bar } from '../bars.tsx'

/** Attack scores: below the threshold is good. */
export function LivenessEvidence({ analysis, nameMedium }: EvidenceProps) {
  const threshold = confOf(analysis, 'threshold_spoofing') ?? 0.5
  return (
    <ul class="bars">
      {analysis.results_media.map(({ source_media_id, results_data }) => {
        const score = results_data?.confidence_spoofing ?? null
        const isPhoto = analysis.source_media.some(
          (medium) => medium.media_id === source_media_id && !isClip(medium),
        )
        // A photo has one part, which is its score.
        const parts = isPhoto ? {} : (detailOf(analysis, source_media_id)?.score_parts ?? {})
        return [
          <Bar
            key={source_media_id}
            name={`${nameMedium(source_media_id)}: ${word('confidence_spoofing', scoreWords)}`}
            value={score}
            marks={[threshold]}
            tone={score === null ? 'none' : score < threshold ? 'good' : 'bad'}
            text={score === null ? t('no evidence') : formatScore(score)}
            hint={t('Passes below {threshold}.', { threshold })}
          />,
          ...Object.entries(parts).map(([part, value]) => (
            <Bar
              key={`${source_media_id} ${part}`}
              name={word(part, scoreWords)}
              value={value}
              marks={[threshold]}
              tone={value === null ? 'none' : value < threshold ? 'good' : 'bad'}
              text={value === null ? t('no evidence') : formatScore(value)}
              hint={word(part, partHints)}
            />
          )),
        ]
      })}
    </ul>
  )
}
