/** The console: for operators and administrators of stored folders. */
import { h, render } from 'preact'
import { find } from '../dom.ts'
import { App } from './app.tsx'
import { dropOldDrafts } from './drafts.ts'
import { noteReturn } from './organisation.ts'

// A file dropped beside its place must not replace the page.
for (const event of ['dragover', 'drop'])
  window.addEventListener(event, (dropped) => dropped.preventDefault())

noteReturn()
dropOldDrafts()
render(h(App, {}), find('console'))
