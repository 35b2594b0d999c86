/** One analysis: its verdict, the scores that it was made of, and the operator's decision. */
import { useState } from 'preact/hooks'
import type { Analysis } from '../../../client/index.ts'
import type { Bounds, MediumDetail } from '../../detail.ts'
import { confOf, detailOf, isClip, sampleOf, technicalOf } from '../evidence.ts'
import { formatScore, t, word } from '../language.ts'
import { useLoaded } from '../load.ts'
import { linkTo } from '../route.ts'
import { api, may } from '../session.ts'
import { partHints, qualityWords, scoreWords, typeWords } from '../words.ts'
import { Bar } from './bars.tsx'
import { Field } from './forms.tsx'
import { Facts, State, Table, Time } from './layout.tsx'
import { StoredImage } from './media.tsx'
import { attempt } from './notices.tsx'

/** How the media of a folder are named in its analyses. */
export type NameMedium = (mediumId: string) => string

interface EvidenceProps {
  analysis: Analysis
  nameMedium: NameMedium
}

/** Attack scores: below the threshold is good. */
function LivenessScores({ analysis, nameMedium }: EvidenceProps) {
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

/** Scores of pairs of media: at or above the upper threshold is good. */
function ComparisonScores({ analysis, nameMedium }: EvidenceProps) {
  const min = confOf(analysis, 'threshold_min') ?? 0
  const max = confOf(analysis, 'threshold_max') ?? 1
  const pairs = technicalOf(analysis).comparisons ?? []
  const hint =
    min === max
      ? t('One person from {max} on.', { max })
      : t('One person from {max} on, two people below {min}.', { min, max })
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
    </>
  )
}

/** Candidates of a collection: a hit is bad, since collections are watch lists. */
function Candidates({ analysis, nameMedium }: EvidenceProps) {
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

interface HitProps {
  collectionId: string
  personId: string
  imageId: string
}

/** A person of a collection, by the photo that is alike. */
export function Hit({ collectionId, personId, imageId }: HitProps) {
  const path = { collection: collectionId, person: personId }
  const { data } = useLoaded(
    (signal) => api('GET /api/collections/{collection}/persons/{person}', { path, signal }),
    [collectionId, personId],
  )
  const photo = data?.images.find(({ media_id }) => media_id === imageId)
  const name = typeof data?.meta_data.name === 'string' ? data.meta_data.name : personId.slice(0, 8)
  return (
    <a class="hit" href={linkTo('collections', collectionId)}>
      <StoredImage link={photo?.thumb_url ?? null} alt={t('Photo of the person')} />
      <span class="id">{name}</span>
    </a>
  )
}

/** A scale on which the bounds have room on both sides. */
function scaleOf({ min, max }: Bounds): number {
  if (max !== undefined) return max <= 1 ? Math.min(1, max * 1.6) : max * 1.6
  return (min ?? 1) * 4
}

function qualityText(value: number, unit: 'px' | '%' | undefined): string {
  if (unit === '%') return `${Math.round(value * 100)} %`
  if (unit === 'px') return `${Math.round(value)} px`
  return value.toFixed(value < 1 ? 3 : 1)
}

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
        {Object.entries(bounds ?? {}).map(([measure, bound]) => {
          const value = quality[measure]
          const words = qualityWords[measure]
          if (typeof value !== 'number' || !words) return null
          const { min, max } = bound
          const isGood = (min === undefined || value >= min) && (max === undefined || value <= max)
          const scale = scaleOf(bound)
          return (
            <Bar
              key={measure}
              name={t(words.name)}
              value={value / scale}
              marks={[min, max].filter((mark) => mark !== undefined).map((mark) => mark / scale)}
              tone={isGood ? 'good' : 'bad'}
              text={`${qualityText(value, words.unit)}${isGood ? '' : `, ${t(words.poor)}`}`}
            />
          )
        })}
      </ul>
      <p class="hint">{t('Head turned {yaw}°, raised {pitch}°, tilted {roll}°.', pose)}</p>
    </>
  )
}

function Networks({ detail }: { detail: MediumDetail | null }) {
  const networks = detail?.picture?.networks
  if (!networks) return null
  return (
    <Facts
      of={networks.views.map(
        ({ view, live, weight }) =>
          [
            view,
            t('live {live}, weight {weight}', { live: formatScore(live), weight: weight.toFixed(2) }),
          ] as const,
      )}
    />
  )
}

function MediaEvidence({ analysis, nameMedium }: EvidenceProps) {
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

type Entry = Readonly<Record<string, unknown>>

const isEntry = (value: unknown): value is Entry => value !== null && typeof value === 'object'

const showValue = (value: unknown): string => (isEntry(value) ? JSON.stringify(value) : String(value ?? ''))

/** Results by their own names: lists, such as the fields of a document, as tables. */
function NamedResults({ analysis }: EvidenceProps) {
  const results = Object.entries(analysis.results_data ?? {})
  const lists = results.flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 0 && value.every(isEntry)
      ? [{ name, rows: value as Entry[] }]
      : [],
  )
  const others = results.filter(([name]) => !lists.some((list) => list.name === name))
  return (
    <>
      {lists.map(({ name, rows }) => (
        <Table
          key={name}
          label={name}
          rows={rows.map((row, place) => ({ row, place }))}
          keyOf={({ place }) => place}
          columns={[...new Set(rows.flatMap(Object.keys))].map(
            (column) => [column, ({ row }: { row: Entry }) => showValue(row[column])] as const,
          )}
        />
      ))}
      <Facts of={others.map(([name, value]) => [name, showValue(value)] as const)} />
    </>
  )
}

const evidenceViews = {
  QUALITY: LivenessScores,
  BIOMETRY: ComparisonScores,
  COLLECTION: Candidates,
  DOCUMENTS: NamedResults,
}

interface DecisionProps {
  analysis: Analysis
  onDecided(): void
}

/** Accepts or declines in the name of the operator. */
function DecisionForm({ analysis, onDecided }: DecisionProps) {
  const [comment, setComment] = useState(analysis.resolution_comment)
  const [isBusy, setBusy] = useState(false)
  const decide = async (decision: 'SUCCESS' | 'DECLINED') => {
    setBusy(true)
    const path = { analysis: analysis.analysis_id! }
    const body = { resolution_operator: decision, resolution_comment: comment }
    if (
      await attempt(() => api('PATCH /api/analyses/{analysis}', { path, body }), t('The decision is stored.'))
    )
      onDecided()
    setBusy(false)
  }
  return (
    <fieldset class="decision">
      <legend>{t('Your decision')}</legend>
      <Field label={t('Comment')}>
        {(id) => (
          <textarea
            id={id}
            rows={2}
            maxLength={4000}
            value={comment}
            onInput={({ currentTarget }) => setComment(currentTarget.value)}
          />
        )}
      </Field>
      <div class="row">
        <button type="button" class="accept" disabled={isBusy} onClick={() => decide('SUCCESS')}>
          {t('Accept')}
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={() => decide('DECLINED')}>
          {t('Decline')}
        </button>
      </div>
    </fieldset>
  )
}

interface AnalysisCardProps extends EvidenceProps {
  /** `null` if nothing can be decided any more. */
  onDecided: (() => void) | null
}

export function AnalysisCard({ analysis, nameMedium, onDecided }: AnalysisCardProps) {
  const { type, state, system_resolution, resolution_operator, resolution_comment } = analysis
  const { model_profile, assurance, gestures } = technicalOf(analysis)
  const Evidence = evidenceViews[type]
  return (
    <section class="card analysis" aria-label={word(type, typeWords)}>
      <div class="card-head">
        <h2>{word(type, typeWords)}</h2>
        <State name={analysis.resolution} />
      </div>
      {analysis.error_message && <p class="problem">{analysis.error_message}</p>}
      <Evidence analysis={analysis} nameMedium={nameMedium} />
      {gestures?.map(({ media_id, gesture, performed }) => (
        <p key={media_id}>
          {gesture}: {performed ? t('performed') : t('not performed')}
        </p>
      ))}
      <MediaEvidence analysis={analysis} nameMedium={nameMedium} />
      <Facts
        of={[
          [t('Service'), <State key="system" name={system_resolution} />],
          [t('Operator'), resolution_operator && <State key="operator" name={resolution_operator} />],
          [t('Comment'), resolution_comment],
          [t('Reason'), analysis.decline_reason],
          [
            t('Networks'),
            model_profile && `${model_profile}${assurance === 'low' ? `, ${t('low assurance')}` : ''}`,
          ],
          [t('Changed'), <Time key="time" at={analysis.time_updated} />],
        ]}
      />
      {state === 'FINISHED' && onDecided && may('update', 'decision') && (
        <DecisionForm analysis={analysis} onDecided={onDecided} />
      )}
    </section>
  )
}
