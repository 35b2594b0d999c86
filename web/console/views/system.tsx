/** Health of the service, its networks, its settings. */
import type { Health, Setting } from '../../../client/index.ts'
import { readHealth } from '../health.ts'
import { formatNumber, t, word } from '../language.ts'
import { calmMs, useLoaded } from '../load.ts'
import { Card, Facts, Show, State, Table, View } from '../parts/layout.tsx'
import { api, may } from '../session.ts'
import { assuranceWords, componentFactWords, componentWords, taskWords } from '../words.ts'

function describeFact([name, value]: readonly [string, unknown]): string {
  const text = typeof value === 'number' ? formatNumber(value) : String(value)
  return `${word(name, componentFactWords)}: ${name === 'assurance' ? word(text, assuranceWords) : text}`
}

function Components({ health: { components } }: { health: Health }) {
  return (
    <Facts
      of={(Object.entries(components) as [string, { status: string }][]).map(
        ([name, { status, ...more }]) => {
          const facts = Object.entries(more).filter(([, value]) => typeof value !== 'object')
          return [
            word(name, componentWords),
            <>
              <State name={status} /> <span class="hint">{facts.map(describeFact).join(', ')}</span>
            </>,
          ] as const
        },
      )}
    />
  )
}

/** A text whose words in backticks are code. */
const withCode = (text: string) =>
  text.split('`').map((part, place) => (place % 2 === 0 ? part : <code key={place}>{part}</code>))

function SettingsTable({ rows }: { rows: readonly Setting[] }) {
  const show = (value: string | null, isSet: boolean) => value ?? (isSet ? t('set') : t('not set'))
  return (
    <Table
      label={t('Settings')}
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        [t('Setting'), ({ name }) => <code>{name}</code>],
        [t('Value'), ({ value, is_changed }) => <code>{show(value, is_changed)}</code>],
        [t('Default'), ({ default_value }) => <code>{default_value}</code>],
        [t('Meaning'), ({ description }) => <span class="hint">{withCode(description)}</span>],
      ]}
    />
  )
}

function Settings() {
  const settings = useLoaded((signal) => api('GET /api/settings', { signal }), [])
  return (
    <Card title={t('Settings')}>
      <p class="hint">{t('They are changed by environment variables, at the next start.')}</p>
      <Show of={settings}>
        {(all) => (
          <>
            <SettingsTable rows={all.filter(({ is_changed }) => is_changed)} />
            <details>
              <summary>{t('With defaults')}</summary>
              <SettingsTable rows={all.filter(({ is_changed }) => !is_changed)} />
            </details>
          </>
        )}
      </Show>
    </Card>
  )
}

export function System() {
  const health = useLoaded(readHealth, [], () => calmMs)
  const version = useLoaded((signal) => api('GET /api/version', { signal }), [])
  const config = useLoaded((signal) => api('GET /api/config', { signal }), [])
  return (
    <View title={t('System')}>
      <Show of={health}>
        {(shown) => (
          <>
            <Card title={t('Health')}>
              <Components health={shown} />
            </Card>
            <Card title={t('Networks')}>
              <p class="hint">
                {t('Profile {profile}, assurance {assurance}.', {
                  profile: shown.components.models.profile,
                  assurance: word(shown.components.models.assurance, assuranceWords),
                })}
              </p>
              <Table
                label={t('Networks')}
                rows={shown.components.models.networks}
                keyOf={({ id }) => id}
                columns={[
                  [t('Network'), ({ id }) => id],
                  [t('Task'), ({ task }) => word(task, taskWords)],
                  [t('Version'), ({ version: number }) => number],
                  [t('Licence'), ({ licence }) => licence],
                  [t('Card'), ({ card }) => <a href={`/guide/${card}`}>{card}</a>],
                ]}
              />
            </Card>
            <Card title={t('Service')}>
              <Facts
                of={[
                  [t('Version'), version.data?.service_version],
                  [t('API version'), version.data?.version],
                  [t('Runtime'), shown.runtime],
                  [t('Time zone'), config.data?.timezone],
                  [t('Language'), config.data?.language],
                  [
                    t('Secure containers'),
                    config.data && (config.data.container_analysis_enabled ? t('yes') : t('no')),
                  ],
                ]}
              />
            </Card>
          </>
        )}
      </Show>
      {may('read', 'settings') && <Settings />}
    </View>
  )
}
