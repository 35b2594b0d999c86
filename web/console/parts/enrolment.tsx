/** Enrols people from dropped photos: one call for each person, so that a refused photo stops nobody else. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { NetworkError } from '../../../client/index.ts'
import { t } from '../language.ts'
import { describeProblem } from '../load.ts'
import { api, may } from '../session.ts'
import { type Alike, findAlike } from './alike.tsx'
import { type DroppedGroup, DropZone } from './drop-zone.tsx'
import { Card } from './layout.tsx'
import { LocalImage } from './media.tsx'

interface Refused {
  group: DroppedGroup
  reason: string
}

interface Progress {
  total: number
  enrolled: number
  refused: readonly Refused[]
}

/** Calls at a time: enough to keep a server of some cores busy. */
const atOnce = 3
const nothing: Progress = { total: 0, enrolled: 0, refused: [] }

const enrol = (collection: string, { name, files }: DroppedGroup, signal: AbortSignal) =>
  api('POST /api/collections/{collection}/persons', {
    path: { collection },
    payload: { 'person:meta_data': { name } },
    media: Object.fromEntries(files.map((file, place) => [`photo_${place}`, file])),
    signal,
  })

type EnrolledPerson = Awaited<ReturnType<typeof enrol>>

interface EnrolmentProps {
  collectionId: string
  onEnrolled(): void
  onAlike(alike: Alike): void
}

export function Enrolment({ collectionId, onEnrolled, onAlike }: EnrolmentProps) {
  const [progress, setProgress] = useState(nothing)
  const queue = useRef<DroppedGroup[]>([])
  const running = useRef(0)
  const [stop] = useState(() => new AbortController())
  useEffect(() => () => stop.abort(), [])

  const count = (change: (before: Progress) => Partial<Progress>) =>
    setProgress((before) => ({ ...before, ...change(before) }))

  /** Tells if somebody else of the collection is like the person. */
  const warn = ({ name, files }: DroppedGroup, person: EnrolledPerson) => {
    if (!('collection_id' in person)) return
    const alike = findAlike(person.images, files)
    const path = { collection: collectionId, person: person.person_id }
    const undo = () => api('DELETE /api/collections/{collection}/persons/{person}', { path })
    if (alike) onAlike({ ...alike, name, undo: may('delete', 'person') ? undo : null })
  }

  const work = async () => {
    for (;;) {
      const group = stop.signal.aborted ? undefined : queue.current.shift()
      if (!group) break
      try {
        warn(group, await enrol(collectionId, group, stop.signal))
        count(({ enrolled }) => ({ enrolled: enrolled + 1 }))
      } catch (error) {
        if (stop.signal.aborted) return
        count(({ refused }) => ({ refused: [...refused, { group, reason: describeProblem(error) }] }))
        // Without a server the rest would be refused too.
        if (error instanceof NetworkError) queue.current = []
      }
    }
    running.current--
    if (running.current === 0) onEnrolled()
  }
  const add = (groups: DroppedGroup[]) => {
    const isRunning = running.current > 0
    queue.current.push(...groups)
    setProgress((before) => {
      const known = isRunning ? before : nothing
      return { ...known, total: known.total + groups.length }
    })
    while (running.current < Math.min(atOnce, queue.current.length + running.current)) {
      running.current++
      void work()
    }
  }
  /** Those whose photos are on their way are still enrolled. */
  const cancel = () => {
    const left = queue.current.length
    queue.current = []
    setProgress((before) => ({ ...before, total: before.total - left }))
  }
  const { total, enrolled, refused } = progress
  const done = enrolled + refused.length
  return (
    <Card title={t('Enrol people')}>
      <DropZone
        label={t('Choose photos')}
        hint={t('Or drop photos here: each photo is a person, and so is each folder of photos.')}
        multiple
        onGroups={add}
      />
      {total > 0 && (
        <div role="status">
          <progress max={total} value={done} aria-label={t('Enrol people')} />
          <p>
            {t('Enrolled: {enrolled} of {total}. Refused: {refused}.', {
              enrolled,
              total,
              refused: refused.length,
            })}{' '}
            {queue.current.length > 0 && (
              <button type="button" class="link" onClick={cancel}>
                {t('Cancel')}
              </button>
            )}
          </p>
        </div>
      )}
      {refused.length > 0 && (
        <ul class="refused">
          {refused.map(({ group, reason }) => (
            <li key={group.name}>
              <LocalImage file={group.files[0]!} alt="" />
              <span>
                <strong>{group.name}</strong>
                <span class="problem">{reason}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
