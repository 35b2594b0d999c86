/** Quality of the samples of an analysis, and what each network says of them. */
import type { Analysis } from '../../../../client/index.ts'
import type { MediumDetail } from '../../../detail.ts'
import { qualityBars } from '../../../quality.ts'
import { detailOf, type EvidenceProps, sampleOf, technicalOf } from '../../evidence.ts'
import { formatDecimal, formatScore, t } from '../../language.ts'
import { Bar } from '../bars.tsx'
import { Facts } from '../layout.tsx'

/** Measures of the sample's quality against their bounds. */
function Quality({ analysis, mediumId }: { analysis: Analysis; mediumId: string }) {
  const quality = sampleOf(analysis, mediumId)?.quality
  const bounds = technicalOf(analysis).detail?.quality_bounds
  if (!quality) return null
  const degrees = (value: number | null | undefined) => Math.round(value ?? 0)
  const pose = { yaw: degrees(quality.yaw), pitch: degrees(quality.pitch), roll: degrees(quality.roll) }
  return (
    <>
      <ul class="bars small">
        {qualityBars(quality, bounds ?? {}, t, formatDecimal).map(({ measure, isGood, ...bar }) => (
          <Bar key={measure} tone={isGood ? 'good' : 'bad'} {...bar} />
        ))}
      </ul>
      <p class="hint">
        {t('In brackets: the range of a good picture.')}{' '}
        {t('Head turned {yaw}°, raised {pitch}°, tilted {roll}°.', pose)}
      </p>
    </>
  )
}

function Networks({ detail }: { detail: MediumDetail | null }) {
  const networks = detail?.picture?.networks
  if (!networks) return null
  return (
    <>
      <Facts
        of={networks.views.map(
          ({ view, live, weight }) =>
            [
              view,
              t('live {live}, weight {weight}', {
                live: formatScore(live),
                weight: formatDecimal(weight, 2),
              }),
            ] as const,
        )}
      />
      <p class="hint">
        {t('Live: 1 is a person, 0 an attack. Weights are factors of log odds and need not add up to 1.')}
      </p>
    </>
  )
}

export function QualityEvidence({ analysis, nameMedium }: EvidenceProps) {
  const media = analysis.source_media.filter(({ media_id }) => sampleOf(analysis, media_id)?.quality)
  if (media.length === 0) return null
  return (
    <>
      {media.map(({ media_id }) => (
        <details key={media_id}>
          <summary>{t('Quality of {medium}', { medium: nameMedium(media_id) })}</summary>
          <Quality analysis={analysis} mediumId={media_id} />
          <Networks detail={detailOf(analysis, media_id)} />
        </details>
      ))}
    </>
  )
}
