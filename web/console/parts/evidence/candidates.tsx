/** Candidates of a search in a collection. */
import { confOf, type EvidenceProps, technicalOf } from '../../evidence.ts'
import { formatScore, t } from '../../language.ts'
import { Bar } from '../bars.tsx'
import { Hit } from '../hit.tsx'

/** Candidates of a collection: a hit is bad, since collections are watch lists. */
export function CandidatesEvidence({ analysis, nameMedium }: EvidenceProps) {
  const threshold = confOf(analysis, 'decision_threshold') ?? 1
  const found = analysis.results_media.flatMap(({ source_media_id, collection_persons }) =>
    collection_persons.map((hit) => ({ source_media_id, ...hit })),
  )
  const isFinished = analysis.state === 'FINISHED'
  return (
    <>
      {found.length === 0 && isFinished && <p>{t('Nobody in the collection is alike.')}</p>}
      {technicalOf(analysis).collection_complete === false && (
        <p class="problem">{t('The collection could not be searched completely.')}</p>
      )}
      <ul class="hits">
        {found.map(({ source_media_id, person_id, collection_id, person_image_id, confidence }) => (
          <li key={`${source_media_id} ${person_image_id}`}>
            <Hit collectionId={collection_id} personId={person_id} imageId={person_image_id} />
            <ul class="bars">
              <Bar
                name={nameMedium(source_media_id)}
                value={confidence}
                marks={[threshold]}
                tone={confidence >= threshold ? 'bad' : 'open'}
                text={formatScore(confidence)}
              />
            </ul>
          </li>
        ))}
      </ul>
      {isFinished && (
        <p class="hint">{t('A hit from {threshold} on.', { threshold: formatScore(threshold) })}</p>
      )}
    </>
  )
}
