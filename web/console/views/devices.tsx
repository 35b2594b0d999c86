/** Settings that apps read for their device model. */
import { useState } from 'preact/hooks'
import type { DeviceSettings, Page } from '../../../client/index.ts'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { Action, Field, Form, TextField } from '../parts/forms.tsx'
import { Card, Time, View } from '../parts/layout.tsx'
import { PagedTable, pageQuery } from '../parts/paged-table.tsx'
import { route } from '../route.ts'
import { api } from '../session.ts'

const pageSize = 50

interface EditorProps {
  edited: { model: string; settings: string }
  onEdit(change: EditorProps['edited']): void
  reload(): void
}

function parseSettings(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new Error(t('The settings are not JSON.'))
  }
}

function Editor({ edited: { model, settings }, onEdit, reload }: EditorProps) {
  const save = async () => {
    await api('POST /api/device_settings', { body: { model, settings: parseSettings(settings) } })
    reload()
  }
  return (
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
  )
}

export function Devices() {
  const [edited, setEdited] = useState({ model: '', settings: '{}' })
  const list = useLoaded(
    async (signal) => {
      const query = { ...pageQuery(pageSize), sorting: 'model{asc}' }
      return (await api('GET /api/device_settings', { query, signal })) as unknown as Page<DeviceSettings>
    },
    [route.value.query.toString()],
  )
  const { reload } = list
  const remove = async (model: string) => {
    await api('DELETE /api/device_settings', { query: { model } })
    reload()
  }
  return (
    <View title={t('Device settings')}>
      <p class="hint">{t('Apps read the settings of their model. Everybody can read them.')}</p>
      <PagedTable
        of={list}
        size={pageSize}
        empty={t('There are no settings yet.')}
        label={t('Device settings')}
        keyOf={({ model }) => model}
        columns={[
          [t('Model'), ({ model }) => model],
          [t('Settings'), ({ settings }) => <code>{JSON.stringify(settings)}</code>],
          [t('Changed'), ({ time_updated }) => <Time at={time_updated} />],
          [
            t('Actions'),
            ({ model, settings }) => (
              <span class="row">
                <button
                  type="button"
                  class="link"
                  onClick={() => setEdited({ model, settings: JSON.stringify(settings, null, 2) })}
                >
                  {t('Change')}
                </button>
                <Action class="link" run={() => remove(model)}>
                  {t('Remove')}
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
