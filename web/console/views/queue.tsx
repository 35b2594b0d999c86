/** The queue: what waits for a person, the longest waiting first. */
import type { Folder, QueueEntry } from '../../../client/index.ts'
import { formatAge, t, word } from '../language.ts'
import { calmMs, useLoaded } from '../load.ts'
import { NextCase, nameAuthor } from '../parts/case-decision.tsx'
import { CheckField } from '../parts/forms.tsx'
import { Empty, Pages, pageOf, Show, Time, View } from '../parts/layout.tsx'
import { StoredImage } from '../parts/media.tsx'
import { referenceOf } from '../reference.ts'
import { linkTo } from '../route.ts'
import { api, may } from '../session.ts'
import { chooseResult, chosenResults, waitingCount, waitingResults } from '../waiting.ts'
import { stateWords } from '../words.ts'

const pageSize = 20

interface Waiting extends QueueEntry {
  /** `null` if it was removed meanwhile. */
  folder: Folder | null
}

async function loadQueue(signal: AbortSignal) {
  const query = { resolution: chosenResults.peek().join(), limit: pageSize, offset: pageOf() * pageSize }
  const queue = await api('GET /api/queue', { query, signal })
  waitingCount.value = queue.analyses_count
  const ids = queue.items.map(({ folder_id }) => folder_id)
  const { items } =
    ids.length === 0
      ? { items: [] }
      : await api('GET /api/folders', {
          query: { folder_id: ids.join(), limit: pageSize, total_omit: true, with_company: true },
          signal,
        })
  const folders = new Map(items.map((folder) => [folder.folder_id, folder]))
  const rows = queue.items.map(
    (entry): Waiting => ({ ...entry, folder: folders.get(entry.folder_id) ?? null }),
  )
  return { ...queue, items: rows }
}

function Row({ entry }: { entry: Waiting }) {
  const { folder_id, time_waiting, analyses, folder, viewer_id, viewer_email } = entry
  const reference = folder && referenceOf(folder)
  return (
    <li>
      <a class="folder-row" href={linkTo('folders', folder_id)}>
        <span class="thumbs">
          {(folder?.media ?? []).slice(0, 2).map(({ media_id, thumb_url }) => (
            <StoredImage key={media_id} link={thumb_url} alt="" />
          ))}
        </span>
        <span class="folder-name">
          {reference && <strong>{reference}</strong>}
          {time_waiting !== null && <Time at={time_waiting} />}
          <span class="hint">
            <span class="id">{folder_id.slice(0, 8)}</span>
          </span>
        </span>
        <span class="folder-types">
          {waitingResults
            .filter((result) => analyses[result] > 0)
            .map((result) => (
              <span key={result} class="hint">
                {word(result, stateWords)}: {analyses[result]}
              </span>
            ))}
        </span>
        <span class="folder-state">
          {viewer_id && (
            <span class="hint">{t('Being looked at by {who}.', { who: nameAuthor(viewer_email) })}</span>
          )}
        </span>
      </a>
    </li>
  )
}

export function Queue() {
  const list = useLoaded(loadQueue, [pageOf(), chosenResults.value.join()], () => calmMs)
  return (
    <View title={t('Queue')} actions={may('update', 'queue') && <NextCase after={null} class="primary" />}>
      <fieldset class="checks">
        <legend>{t('Waiting for a decision')}</legend>
        {waitingResults.map((result) => (
          <CheckField
            key={result}
            label={word(result, stateWords)}
            checked={chosenResults.value.includes(result)}
            onChecked={(isOn) => chooseResult(result, isOn)}
          />
        ))}
      </fieldset>
      <Show of={list}>
        {({ items, total_count, analyses_count, time_oldest }) => (
          <>
            {time_oldest === null ? (
              <Empty>{t('Nothing waits for a decision.')}</Empty>
            ) : (
              <p class="hint" aria-live="polite">
                {t('Analyses: {analyses} in {folders} folders, the oldest of', {
                  analyses: analyses_count,
                  folders: total_count ?? items.length,
                })}{' '}
                <Time at={time_oldest} /> ({formatAge(time_oldest)})
              </p>
            )}
            <ul class="rows">
              {items.map((entry) => (
                <Row key={entry.folder_id} entry={entry} />
              ))}
            </ul>
            <Pages size={pageSize} total={total_count} shown={items.length} />
          </>
        )}
      </Show>
    </View>
  )
}
