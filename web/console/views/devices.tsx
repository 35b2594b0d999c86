/** Settings that apps read for their device model. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeviceSettings, Page } from '../../../client/index.ts'
import { parseExactJson, writeExactJson } from '../../../src/exact-json.ts'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { Action, Field, Form, TextField } from '../parts/forms.tsx'
import { Card, Time, View } from '../parts/layout.tsx'
import { confirm } from '../parts/notices.tsx'
import { PagedTable, pageQuery } from '../parts/paged-table.tsx'
import { route } from '../route.ts'
import { api } from '../session.ts'

interface EditorProps {
  edited: { model: string; settings: string; isChosen?: boolean }
  onEdit(change: EditorProps['edited']): void
  reload(): void
}

function parseSettings(text: string): Record<string, unknown> {
  try {
    return parseExactJson(text) as Record<string, unknown>
  } catch {
    throw new Error(t('The settings are not JSON.'))
  }
}

function Editor({ edited, onEdit, reload }: EditorProps) {
  const { model, settings } = edited
  const place = useRef<HTMLDivElement>(null)
  // The list may be long, and what was chosen in it is changed below.
  useEffect(() => {
    if (edited.isChosen) place.current?.querySelector('textarea')?.focus()
  }, [edited])
  const save = async () => {
    await api('POST /api/device_settings', { body: { model, settings: parseSettings(settings) } })
    reload()
  }
  return (
    <div ref={place}>
      <Card title={t('Settings of a model')}>
        <Form submit={t('Save')} done={t('Saved')} onSubmit={save}>
          <TextField
            label={t('Model')}
            hint={t('The name of a model, or the beginning of names with *')}
            required
            value={model}
            onValue={(value) => onEdit({ model: value, settings })}
          />
          <Field label={t('Settings as JSON')}>
            {(id) => (
              <textarea
                id={id}
                class="code"
                rows={6}
                spellcheck={false}
                required
                value={settings}
                onInput={({ currentTarget }) => onEdit({ model, settings: currentTarget.value })}
              />
            )}
          </Field>
        </Form>
      </Card>
    </div>
  )
}

export function Devices() {
  const [edited, setEdited] = useState<EditorProps['edited']>({ model: '', settings: '{}' })
  const list = useLoaded(
    async (signal) => {
      const query = { ...pageQuery(), sorting: 'model{asc}' }
      return (await api('GET /api/device_settings', { query, signal })) as unknown as Page<DeviceSettings>
    },
    [route.value.query.toString()],
  )
  const { reload } = list
  const remove = async (model: string) => {
    const asked = {
      title: t('Remove {name}?', { name: model }),
      text: t('Apps of this model read no settings any more.'),
      action: t('Remove'),
    }
    if (!(await confirm(asked))) return
    await api('DELETE /api/device_settings', { query: { model } })
    reload()
  }
  return (
    <View title={t('Device settings')}>
      <p class="hint">{t('Apps read the settings of their model. Everybody can read them.')}</p>
      <PagedTable
        of={list}
        empty={t('There are no settings yet.')}
        label={t('Device settings')}
        keyOf={({ model }) => model}
        columns={[
          [t('Model'), ({ model }) => model],
          [t('Settings'), ({ settings }) => <code>{writeExactJson(settings)}</code>],
          [t('Changed'), ({ time_updated }) => <Time at={time_updated} />],
          [
            t('Actions'),
            ({ model, settings }) => (
              <span class="row">
                <button
                  type="button"
                  class="link"
                  onClick={() => setEdited({ model, settings: writeExactJson(settings, 2), isChosen: true })}
                >
                  {t('Change')}
                  <span class="unseen"> {model}</span>
                </button>
                <Action class="link" run={() => remove(model)}>
                  {t('Remove')}
                  <span class="unseen"> {model}</span>
                </Action>
              </span>
            ),
          ],
        ]}
      />
      <Editor edited={edited} onEdit={setEdited} reload={reload} />
    </View>
  )
}
