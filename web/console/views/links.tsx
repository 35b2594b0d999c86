/** Links that take a capture from a phone. */
import { useState } from 'preact/hooks'
import type { Answers, CaptureLink, NewCaptureLink } from '../../../client/index.ts'
import { languageNames } from '../../languages.ts'
import { t, word } from '../language.ts'
import { calmMs, useLoaded } from '../load.ts'
import { Action, ChoiceField, CopyButton, Field, Form, TextField } from '../parts/forms.tsx'
import { Card, State, Time, View } from '../parts/layout.tsx'
import { confirm } from '../parts/notices.tsx'
import { PagedTable, pageQuery } from '../parts/paged-table.tsx'
import { QrCode } from '../parts/qr-code.tsx'
import { asked, linkTo, route, setQuery } from '../route.ts'
import { api, may, mayWith, session } from '../session.ts'
import { stateWords } from '../words.ts'

type Made = Answers['POST /api/capture_links']

/** How soon a list is read again that waits for a phone. */
const waitingMs = 3000
const consentLengthMax = 2000

const states = ['sent', 'opened', 'captured', 'decided', 'expired', 'withdrawn']

/** The address of a new link, to send or to scan. */
function Address({ made: { url, qr } }: { made: Made }) {
  return (
    <Card title={t('Address')}>
      <p>{t('Send it, or let a phone scan the code. It is shown only now.')}</p>
      <p>
        <code>{url}</code> <CopyButton text={url} />
      </p>
      <QrCode svg={qr} />
    </Card>
  )
}

function NewLink({ onMade }: { onMade(made: Made): void }) {
  const [mode, setMode] = useState<string>('clip')
  const [language, setLanguage] = useState('')
  const [reference, setReference] = useState('')
  const [consent, setConsent] = useState('')
  /** Where the company looks for what a case is called. */
  const describeCase = async () => {
    if (reference === '') return {}
    const path = { company: session.value!.user.company_id }
    const { reference_field } = await api('GET /api/companies/{company}', { path })
    return { [reference_field ?? 'reference']: reference }
  }
  const create = async () => {
    const body = {
      mode,
      language: language || null,
      consent: consent || null,
      meta_data: await describeCase(),
    } as NewCaptureLink
    onMade(await api('POST /api/capture_links', { body }))
  }
  return (
    <Card title={t('New link')}>
      <Form submit={t('Create')} onSubmit={create}>
        <ChoiceField
          label={t('What is captured')}
          value={mode}
          options={[
            ['clip', t('A clip of the face')],
            ['photo', t('A photo of the face')],
            ['document', t('A photo of a document')],
          ]}
          onValue={setMode}
        />
        <ChoiceField
          label={t('Language')}
          value={language}
          options={[['', t('That of the browser')], ...Object.entries(languageNames)]}
          onValue={setLanguage}
        />
        <TextField
          label={t('Reference')}
          hint={t('Stands in the metadata of the folder.')}
          maxLength={200}
          value={reference}
          onValue={setReference}
        />
        <Field label={t('What the person agrees to')}>
          {(id) => (
            <textarea
              id={id}
              rows={3}
              maxLength={consentLengthMax}
              value={consent}
              onInput={({ currentTarget }) => setConsent(currentTarget.value)}
            />
          )}
        </Field>
      </Form>
    </Card>
  )
}

const isOpen = ({ state, uses_left }: CaptureLink): boolean =>
  uses_left > 0 && state !== 'expired' && state !== 'withdrawn'

export function Links() {
  const [made, setMade] = useState<Made | null>(null)
  const list = useLoaded(
    (signal) => api('GET /api/capture_links', { query: { ...pageQuery(), state: asked('state') }, signal }),
    [route.value.query.toString()],
    () => (made === null ? calmMs : waitingMs),
  )
  const { reload } = list
  const withdraw = async (id: string) => {
    const question = {
      title: t('Withdraw {name}?', { name: id.slice(0, 8) }),
      text: t('Nothing can be sent by this link any more.'),
      action: t('Withdraw'),
    }
    if (!(await confirm(question))) return
    await api('DELETE /api/capture_links/{link}', { path: { link: id } })
    reload()
  }
  return (
    <View title={t('Links')}>
      <p class="hint">{t('A link takes one capture from a phone, without signing in.')}</p>
      <search class="filters">
        <ChoiceField
          label={t('State')}
          value={asked('state') ?? ''}
          options={[['', t('All')], ...states.map((name) => [name, word(name, stateWords)] as const)]}
          onValue={(state) => setQuery({ state, page: null })}
        />
      </search>
      <PagedTable
        of={list}
        empty={asked('state') ? t('No link is in this state.') : t('There are no links yet.')}
        label={t('Links')}
        keyOf={({ capture_link_id }) => capture_link_id}
        columns={[
          [t('Link'), ({ capture_link_id }) => <code>{capture_link_id.slice(0, 8)}</code>],
          [t('State'), ({ state }) => <State name={state} />],
          [
            t('Folders'),
            ({ folder_ids }) => (
              <span class="row">
                {folder_ids.map((id) => (
                  <a key={id} href={linkTo('folders', id)}>
                    {id.slice(0, 8)}
                  </a>
                ))}
              </span>
            ),
          ],
          [t('Created'), ({ time_created }) => <Time at={time_created} />],
          [t('Expires'), ({ time_expires }) => <Time at={time_expires} />],
          [
            t('Actions'),
            (link) =>
              isOpen(link) &&
              mayWith(link, 'delete', 'capture_link') && (
                <Action class="link" run={() => withdraw(link.capture_link_id)}>
                  {t('Withdraw')}
                  <span class="unseen"> {link.capture_link_id.slice(0, 8)}</span>
                </Action>
              ),
          ],
        ]}
      />
      {made && <Address made={made} />}
      {may('create', 'capture_link') && (
        <NewLink
          onMade={(link) => {
            setMade(link)
            reload()
          }}
        />
      )}
    </View>
  )
}
