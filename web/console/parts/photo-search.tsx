/** Searches a collection by a photo. The search is a folder, which is removed again where the user may do that. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Analysis, type Collection, isSettled } from '../../../client/index.ts'
import { confOf } from '../evidence.ts'
import { formatNumber, formatScore, t } from '../language.ts'
import { describeProblem } from '../load.ts'
import { reasonsOf } from '../reasons.ts'
import { linkTo } from '../route.ts'
import { api, may } from '../session.ts'
import { Bar } from './bars.tsx'
import { type DroppedGroup, DropZone } from './drop-zone.tsx'
import { Hit } from './hit.tsx'
import { Card, Table } from './layout.tsx'
import { LocalImage } from './media.tsx'
import { tell } from './notices.tsx'

interface Found {
  photo: File
  analysis: Analysis
  /** The folder of the search, if it was kept. */
  folderId: string | null
}

const lookMs = 500

/**
 * @param stop ends the search between two calls: a folder whose call was ended could not be removed
 * @throws the reason of `stop`
 */
async function search(collectionId: string, photo: File, stop: AbortSignal): Promise<Found> {
  let folder = await api('POST /api/folders', {
    payload: {
      'media:tags': { photo: ['photo_selfie'] },
      analyses: [{ type: 'collection', params: { collection_id: collectionId } }],
    },
    media: { photo },
  })
  const path = { folder: folder.folder_id }
  try {
    while (!isSettled(folder)) {
      stop.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, lookMs))
      folder = await api('GET /api/folders/{folder}', { path, query: { with_analyses: true } })
    }
  } finally {
    if (may('delete', 'folder')) await api('DELETE /api/folders/{folder}', { path })
  }
  return {
    photo,
    analysis: folder.analyses![0]!,
    folderId: may('delete', 'folder') ? null : folder.folder_id,
  }
}

function Hits({ found: { photo, analysis, folderId } }: { found: Found }) {
  const threshold = confOf(analysis, 'decision_threshold') ?? 1
  const hits = analysis.results_media.flatMap(({ collection_persons }) => collection_persons)
  return (
    <div class="search-result" role="status">
      {analysis.state === 'FAILED' &&
        reasonsOf(analysis).map(({ code, message, advice }) => (
          <p key={code} class="problem">
            {message} {advice}
          </p>
        ))}
      {analysis.state !== 'FAILED' && hits.length === 0 && <p>{t('Nobody in the collection is alike.')}</p>}
      <ul class="hits">
        {hits.map(({ person_id, collection_id, person_image_id, confidence }) => (
          <li key={person_image_id}>
            <LocalImage file={photo} alt={t('The photo that was searched for')} />
            <Hit collectionId={collection_id} personId={person_id} imageId={person_image_id} />
            <ul class="bars">
              <Bar
                name={t('Likeness')}
                value={confidence}
                marks={[threshold]}
                tone="none"
                text={formatScore(confidence)}
                hint={t('A hit from {threshold} on.', { threshold: formatScore(threshold) })}
              />
            </ul>
          </li>
        ))}
      </ul>
      {folderId && (
        <p class="hint">
          {t('The photo is kept in a folder:')}{' '}
          <a href={linkTo('folders', folderId)}>{folderId.slice(0, 8)}</a>
        </p>
      )}
    </div>
  )
}

type Rate = NonNullable<Collection['technical_meta_data']['search']>[number]

const shareOf = ({ false_hits }: Rate): string =>
  t('{count} of 100', { count: formatNumber(Number((100 * false_hits).toPrecision(2))) })

/** How sure a hit is: the longer the list, the more often somebody in it is like a stranger. */
function Rates({ of: [own, ...others] }: { of: readonly Rate[] }) {
  if (!own) return null
  return (
    <>
      <p class="hint">
        {t('A hit from {threshold} on.', { threshold: formatScore(own.decision_threshold) })}{' '}
        {t('Of people who are not in the collection, about {share} get a hit.', { share: shareOf(own) })}
      </p>
      <details>
        <summary>{t('By the size of the collection')}</summary>
        <Table
          label={t('By the size of the collection')}
          rows={[own, ...others].sort((a, b) => a.templates - b.templates)}
          keyOf={(rate) => (rate === own ? 'own' : rate.templates)}
          columns={[
            [
              t('Photos'),
              (rate) => (
                <>
                  {formatNumber(rate.templates)}
                  {rate === own && <span class="hint"> {t('this collection')}</span>}
                </>
              ),
            ],
            [t('A hit from'), ({ decision_threshold }) => formatScore(decision_threshold)],
            [t('Strangers'), shareOf],
          ]}
        />
        <p class="hint">{t('Calculated, not measured in your collection.')}</p>
      </details>
    </>
  )
}

interface PhotoSearchProps {
  collectionId: string
  rates: readonly Rate[]
}

export function PhotoSearch({ collectionId, rates }: PhotoSearchProps) {
  const [found, setFound] = useState<Found | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const running = useRef<AbortController | null>(null)
  const stop = () => {
    running.current?.abort()
    setBusy(false)
  }
  useEffect(() => stop, [])
  const run = async ([group]: DroppedGroup[]) => {
    stop()
    const mine = new AbortController()
    running.current = mine
    setBusy(true)
    setProblem(null)
    setFound(null)
    try {
      const result = await search(collectionId, group!.files[0]!, mine.signal)
      if (!mine.signal.aborted) setFound(result)
    } catch (error) {
      // A cancelled search says nothing more, unless its photo could not be removed.
      if (!mine.signal.aborted) setProblem(describeProblem(error))
      else if (error !== mine.signal.reason) tell(describeProblem(error), 'bad')
    }
    if (!mine.signal.aborted) setBusy(false)
  }
  return (
    <Card title={t('Search by photo')}>
      <DropZone
        label={t('Choose a photo')}
        hint={
          may('delete', 'folder')
            ? t('Or drop it here. It is removed after the search.')
            : t('Or drop it here. It is kept in a folder.')
        }
        onGroups={(groups) => void run(groups)}
      />
      <Rates of={rates} />
      {isBusy && (
        <p role="status">
          {t('Searching…')}{' '}
          <button type="button" class="link" onClick={stop}>
            {t('Cancel')}
          </button>
        </p>
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {found && <Hits found={found} />}
    </Card>
  )
}
