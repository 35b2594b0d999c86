/** The frame of the console: sign-in, menu, and the view of the current address. */
import type { FunctionComponent } from 'preact'
import { useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Action, Resource } from '../../src/identity/permissions.ts'
import { type Language, languageNames } from '../languages.ts'
import { useKeys } from './keys.ts'
import { language, setLanguage, type Text, t, word } from './language.ts'
import { KeyHelp, showKeys } from './parts/key-help.tsx'
import { Notices, Questions } from './parts/notices.tsx'
import { goTo, linkTo, linkToList, route } from './route.ts'
import { may, scopeOf, session, signOut } from './session.ts'
import { Collection } from './views/collection.tsx'
import { Collections } from './views/collections.tsx'
import { Companies } from './views/companies.tsx'
import { Company } from './views/company.tsx'
import { Devices } from './views/devices.tsx'
import { EventSession } from './views/event-session.tsx'
import { EventSessions } from './views/event-sessions.tsx'
import { Folder } from './views/folder.tsx'
import { Folders } from './views/folders.tsx'
import { Links } from './views/links.tsx'
import { Queue } from './views/queue.tsx'
import { SignIn } from './views/sign-in.tsx'
import { Statistics } from './views/statistics.tsx'
import { System } from './views/system.tsx'
import { User } from './views/user.tsx'
import { Users } from './views/users.tsx'
import { Webhooks } from './views/webhooks.tsx'
import { waitingCount } from './waiting.ts'
import { roleWords } from './words.ts'

interface Place {
  name: string
  title: Text
  /** Who sees it in the menu. */
  isShown(): boolean
  List: FunctionComponent
  /** The view of one object of the list. */
  One?: FunctionComponent<{ id: string }>
}

const readers =
  (resource: Resource, action: Action = 'read') =>
  () =>
    may(action, resource)

const places: readonly Place[] = [
  { name: 'folders', title: 'Folders', isShown: readers('folder'), List: Folders, One: Folder },
  { name: 'queue', title: 'Queue', isShown: readers('queue'), List: Queue },
  { name: 'links', title: 'Links', isShown: readers('capture_link'), List: Links },
  {
    name: 'collections',
    title: 'Collections',
    isShown: readers('collection'),
    List: Collections,
    One: Collection,
  },
  { name: 'statistics', title: 'Statistics', isShown: readers('statistics'), List: Statistics },
  {
    name: 'users',
    title: 'Users',
    isShown: () => scopeOf('user', 'read') !== 'self',
    List: Users,
    One: User,
  },
  {
    name: 'companies',
    title: 'Companies',
    isShown: readers('company', 'update'),
    List: Companies,
    One: Company,
  },
  { name: 'webhooks', title: 'Webhooks', isShown: readers('delivery_log'), List: Webhooks },
  {
    name: 'events',
    title: 'App sessions',
    isShown: readers('event_session'),
    List: EventSessions,
    One: EventSession,
  },
  { name: 'devices', title: 'Device settings', isShown: readers('device_settings', 'update'), List: Devices },
  { name: 'system', title: 'System', isShown: () => true, List: System },
]

const usual = places[0]!

function CurrentView() {
  const [name, id] = route.value.path
  const { List, One } = places.find((place) => place.name === name) ?? usual
  return One && id !== undefined ? <One key={id} id={id} /> : <List />
}

/** What one view cannot show must not take the menu with it. */
function SafeView() {
  const [failure, retry] = useErrorBoundary(reportError)
  if (failure === undefined) return <CurrentView />
  return (
    <p class="problem" role="alert">
      {t('This view cannot be shown.')}{' '}
      <button type="button" class="link" onClick={retry}>
        {t('Try again')}
      </button>
    </p>
  )
}

const LanguageChoice = () => (
  <select
    class="language"
    aria-label={t('Language')}
    value={language.value}
    onChange={({ currentTarget }) => setLanguage(currentTarget.value)}
  >
    {Object.entries(languageNames).map(([name, text]) => (
      <option key={name} value={name as Language} lang={name}>
        {text}
      </option>
    ))}
  </select>
)

function Menu({ close }: { close(): void }) {
  const current = (places.find(({ name }) => name === route.value.path[0]) ?? usual).name
  const { user } = session.value!
  return (
    <>
      <nav aria-label={t('Views')}>
        <ul>
          {places
            .filter(({ isShown }) => isShown())
            .map(({ name, title }) => (
              <li key={name}>
                <a
                  href={linkToList(name)}
                  aria-current={name === current ? 'page' : undefined}
                  onClick={close}
                >
                  {t(title)}
                  {name === 'queue' && waitingCount.value ? <b class="count">{waitingCount.value}</b> : null}
                </a>
              </li>
            ))}
          <li>
            <a href="/guide/console">{t('Guide')}</a>
          </li>
          <li>
            <a href="/docs">{t('API reference')}</a>
          </li>
        </ul>
      </nav>
      <div class="account">
        <a href={linkTo('users', user.user_id)} onClick={close}>
          {user.email}
        </a>
        <span class="hint">{word(user.user_type, roleWords)}</span>
        <div class="row">
          <button type="button" onClick={() => signOut()}>
            {t('Sign out')}
          </button>
          <button type="button" aria-keyshortcuts="?" onClick={showKeys}>
            {t('Keys')}
          </button>
          <LanguageChoice />
        </div>
      </div>
    </>
  )
}

function SignedIn() {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useKeys([
    { key: '?', text: 'Keys', run: showKeys },
    ...(may('read', 'queue') ? [{ key: 'q', text: 'Queue', run: () => goTo('queue') } as const] : []),
  ])
  // Before the next key is pressed.
  useLayoutEffect(() => {
    if (!isOpen) return
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      setOpen(false)
      // What had the focus is hidden.
      button.current?.focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isOpen])
  return (
    <div class={`frame ${isOpen ? 'open' : ''}`}>
      <header>
        <a class="brand" href={linkTo()}>
          <img src="/pages/console/icon.svg" alt="" width="28" height="28" />
          Vivace
        </a>
        <button
          ref={button}
          type="button"
          class="menu-button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t('Menu')}
        </button>
        <div class="menu">
          <Menu close={() => setOpen(false)} />
        </div>
      </header>
      <main>
        <SafeView key={route.value.path.join('/')} />
      </main>
      <KeyHelp />
    </div>
  )
}

export const App = () => (
  <>
    {session.value ? <SignedIn /> : <SignIn choice={<LanguageChoice />} />}
    <Notices />
    <Questions />
  </>
)
