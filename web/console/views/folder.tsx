/** One folder: media, analyses with their evidence, decisions, reports. */
import { useEffect, useState } from 'preact/hooks'
import type { Analysis, Company, Folder as FolderAnswer, Medium, User } from '../../../client/index.ts'
import { dropDrafts } from '../drafts.ts'
import { isClip, isDocument } from '../evidence.ts'
import { useKeys } from '../keys.ts'
import { t, word } from '../language.ts'
import { useLoaded } from '../load.ts'
import { pairOf } from '../pair.ts'
import { AnalysisCard } from '../parts/analysis.tsx'
import { CaseDecision, Trail, useDecisions, useViewer, Viewer } from '../parts/case-decision.tsx'
import { CaseReasons } from '../parts/case-reasons.tsx'
import { Action, CheckField, ChoiceField, CopyButton, Form } from '../parts/forms.tsx'
import { Card, Empty, Facts, ForeignFacts, Show, State, Time, View } from '../parts/layout.tsx'
import { fetchFile, saveBlob } from '../parts/media.tsx'
import { MediumCard } from '../parts/medium.tsx'
import { confirm } from '../parts/notices.tsx'
import { Pair } from '../parts/pair.tsx'
import { referenceOf } from '../reference.ts'
import { goTo, linkTo, linkToList } from '../route.ts'
import { api, may, mayStart, mayWith } from '../session.ts'
import { leave, visit } from '../visited.ts'
import { typeWords } from '../words.ts'

const busyMs = 1500
/** Collections to choose from. */
const shownMax = 500

type Shown = FolderAnswer & { user?: User; company?: Company }
interface ViewProps {
  folder: Shown
  reload(): void
}

/** Media by what they show and their number, such as "Photo 2". */
function nameMedia(media: readonly Medium[]): Map<string, string> {
  const counts = new Map<string, number>()
  return new Map(
    media.map((medium) => {
      const kind = isDocument(medium) ? t('Document') : isClip(medium) ? t('Clip') : t('Photo')
      const number = (counts.get(kind) ?? 0) + 1
      counts.set(kind, number)
      return [medium.media_id, `${kind} ${number}`] as const
    }),
  )
}

async function saveReport(folder: string): Promise<void> {
  const { report_url, file_name } = await api('POST /api/folders/{folder}/reports', {
    path: { folder },
    body: {},
  })
  saveBlob(await fetchFile(report_url), file_name)
}

async function saveArtifacts(folder: string): Promise<void> {
  saveBlob(await api('GET /api/folders/{folder}/artifacts', { path: { folder } }), `folder_${folder}.zip`)
}

function Actions({ folder, reload }: ViewProps) {
  const path = { folder: folder.folder_id }
  const clear = async () => {
    const asked = {
      title: t('Remove personal data?'),
      text: t(
        'Pictures, clips, results and metadata of this folder are removed for ever. The verdict stays.',
      ),
      action: t('Remove'),
    }
    if (!(await confirm(asked))) return
    await api('DELETE /api/folders/{folder}/pi', { path })
    dropDrafts(folder.folder_id)
    reload()
  }
  const remove = async () => {
    const asked = {
      title: t('Delete the folder?'),
      text: t('The folder is removed for ever with all that it holds.'),
      action: t('Delete'),
    }
    if (!(await confirm(asked))) return
    await api('DELETE /api/folders/{folder}', { path })
    dropDrafts(folder.folder_id)
    location.hash = linkToList('folders')
  }
  return (
    <>
      {mayWith(folder, 'create', 'report') && (
        <Action run={() => saveReport(folder.folder_id)} done={t('The report is saved.')}>
          {t('Report as PDF')}
        </Action>
      )}
      <Action run={() => saveArtifacts(folder.folder_id)}>{t('All files as ZIP')}</Action>
      {mayWith(folder, 'delete', 'folder') && !folder.is_cleared && (
        <Action run={clear}>{t('Remove personal data')}</Action>
      )}
      {mayWith(folder, 'delete', 'folder') && (
        <Action class="danger" run={remove}>
          {t('Delete')}
        </Action>
      )}
    </>
  )
}

function Summary({ folder }: { folder: Shown }) {
  const { company, user, meta_data } = folder
  return (
    <Card title={t('Folder')}>
      <Facts
        of={[
          [t('Service'), <State key="system" name={folder.system_resolution} />],
          [t('Operator'), folder.operator_status && <State key="operator" name={folder.operator_status} />],
          [t('Comment'), folder.operator_comment],
          [t('Created'), <Time key="created" at={folder.time_created} />],
          [t('Changed'), <Time key="changed" at={folder.time_updated} />],
          [t('Company'), company?.name],
          [t('User'), user?.email],
          [t('Personal data'), folder.is_cleared ? t('removed') : null],
          [
            t('Id'),
            <span key="id">
              <code>{folder.folder_id}</code> <CopyButton text={folder.folder_id} />
            </span>,
          ],
        ]}
      />
      <ForeignFacts title={t('Metadata, as the caller sent them')} of={meta_data} />
    </Card>
  )
}

const startable = ['QUALITY', 'BIOMETRY', 'COLLECTION', 'DOCUMENTS'] as const
type AnalysisType = (typeof startable)[number]

/** Analyses the media again; `detail` keeps how the results came about. */
function AnalyseAgain({ folder, reload }: ViewProps) {
  const [types, setTypes] = useState<readonly AnalysisType[]>(startable.filter(mayStart).slice(0, 1))
  const [collection, setCollection] = useState('')
  const companyId = folder.company_id ?? undefined
  const collections = useLoaded(
    async (signal) =>
      may('read', 'collection')
        ? api('GET /api/collections', {
            query: { company_id: companyId, sorting: 'alias{asc}', limit: shownMax },
            signal,
          })
        : [],
    [companyId],
  )
  const known = collections.data ?? []
  const collectionId = collection || known[0]?.collection_id
  const offered = startable.filter((type) => mayStart(type) && (type !== 'COLLECTION' || known.length > 0))
  const start = async () => {
    const analyses = types.map((type) => ({
      type,
      ...(type === 'COLLECTION' ? { params: { collection_id: collectionId ?? null } } : {}),
    }))
    await api('POST /api/folders/{folder}/analyses', {
      path: { folder: folder.folder_id },
      body: { analyses, detail: true },
    })
    reload()
  }
  return (
    <Card title={t('Analyse again')}>
      <Form submit={t('Analyse')} done={t('The analyses have started.')} onSubmit={start}>
        <div class="checks">
          {offered.map((type) => (
            <CheckField
              key={type}
              label={word(type, typeWords)}
              checked={types.includes(type)}
              onChecked={(isOn) =>
                setTypes(startable.filter((one) => (one === type ? isOn : types.includes(one))))
              }
            />
          ))}
        </div>
        {types.includes('COLLECTION') && (
          <ChoiceField
            label={t('Collection')}
            value={collectionId ?? ''}
            options={known.map(({ collection_id, alias }) => [collection_id, alias] as const)}
            onValue={setCollection}
          />
        )}
      </Form>
    </Card>
  )
}

const isOpen = ({ system_resolution, analyses = [] }: Shown): boolean =>
  system_resolution === 'PROCESSING' || analyses.some(({ state }) => state === 'PROCESSING')

const isUndecided = (folder: Shown): boolean =>
  !folder.is_cleared &&
  !isOpen(folder) &&
  folder.operator_status === null &&
  folder.system_resolution !== 'SUCCESS'

const byTime = (a: Analysis, b: Analysis): number => b.time_created - a.time_created

function FolderContent({ folder, reload }: ViewProps) {
  const { media = [], analyses = [] } = folder
  const trail = useDecisions(folder, reload)
  const decisions = trail.data
  const reloadAll = () => {
    trail.reload()
    reload()
  }
  const isDecidable = mayWith(folder, 'update', 'decision') && !folder.is_cleared && !isOpen(folder)
  const viewer = useViewer(folder, mayWith(folder, 'update', 'queue') && !folder.is_cleared)
  useEffect(() => {
    // Somebody else may have removed personal data.
    if (folder.is_cleared) dropDrafts(folder.folder_id)
  }, [folder.folder_id, folder.is_cleared])
  const names = nameMedia(media)
  const nameMedium = (id: string) => names.get(id) ?? t('Removed medium')
  const { person, other } = pairOf(media, analyses)
  const cards = media.map((medium) => (
    <MediumCard
      key={medium.media_id}
      medium={medium}
      name={nameMedium(medium.media_id)}
      analyses={analyses}
    />
  ))
  // On a phone the decision follows what is looked at first.
  const leading = person || other ? 0 : 1
  return (
    <div class="folder">
      <div class="column">
        {media.length === 0 && <Empty>{t('The folder has no media.')}</Empty>}
        <Pair media={media} analyses={analyses} nameMedium={nameMedium} />
        {cards.slice(0, leading)}
      </div>
      <div class="column">
        <Viewer entry={viewer} />
        <CaseReasons analyses={[...analyses].sort(byTime)} nameMedium={nameMedium} />
        {isDecidable && <CaseDecision folder={folder} decisions={decisions} reload={reloadAll} />}
        {!may('update', 'decision') && mayWith(folder, 'create', 'user') && isUndecided(folder) && (
          <p class="hint">
            {t('Administrators decide nothing: operators do.')} <a href={linkTo('users')}>{t('New user')}</a>
          </p>
        )}
        {analyses.length === 0 && <Empty>{t('Nothing was analysed yet.')}</Empty>}
        {[...analyses].sort(byTime).map((analysis) => (
          <AnalysisCard
            key={analysis.analysis_id}
            analysis={analysis}
            nameMedium={nameMedium}
            stateHash={folder.resolution_state_hash}
            onDecided={folder.is_cleared ? null : reloadAll}
          />
        ))}
        <Trail decisions={decisions ?? []} />
        {startable.some(mayStart) &&
          mayWith(folder, 'create', 'analysis') &&
          media.length > 0 &&
          !folder.is_cleared && <AnalyseAgain folder={folder} reload={reload} />}
        <Summary folder={folder} />
      </div>
      <div class="column">{cards.slice(leading)}</div>
    </div>
  )
}

export function Folder({ id }: { id: string }) {
  const loaded = useLoaded<Shown>(
    (signal) =>
      api('GET /api/folders/{folder}', {
        path: { folder: id },
        query: { with_analyses: true, with_user: true, with_company: true },
        signal,
      }),
    [id],
    (folder) => (isOpen(folder) ? busyMs : null),
  )
  const { data, reload } = loaded
  useEffect(() => visit(id), [id])
  const back = () => {
    const before = leave()
    if (before !== null) goTo('folders', before)
  }
  useKeys([{ key: 'p', text: 'The folder before', run: back }])
  const reference = data && referenceOf(data)
  const name = t('Folder {id}', { id: id.slice(0, 8) })
  return (
    <View title={reference ?? name} actions={data && <Actions folder={data} reload={reload} />}>
      {data && (
        <p class="verdict" role="status">
          <State name={data.system_resolution} />
          {data.operator_status && (
            <>
              {' '}
              {t('by the service; an operator:')} <State name={data.operator_status} />
            </>
          )}
          {data.technical_meta_data.sandbox && ` ${t('Sandbox: nothing was checked.')}`}
          {reference && <span class="hint"> {name}</span>}
        </p>
      )}
      <Show of={loaded}>{(folder) => <FolderContent folder={folder} reload={reload} />}</Show>
    </View>
  )
}
