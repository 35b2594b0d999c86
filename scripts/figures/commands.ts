/** The commands that measure the figures, and their profiles. */
import type { Profile } from './figures-file.ts'
import type { FileStep } from './read-results.ts'

/** Arguments of `npm run`; `DIR` stands for the folder of labelled data. */
export const commandArguments: Record<FileStep, readonly string[]> = {
  pictures: ['accuracy', '--', 'DIR'],
  identify: ['accuracy', '--', 'identify', 'DIR'],
  clips: ['accuracy', '--', 'clips', 'DIR'],
  attacks: ['accuracy', '--', 'attacks', 'DIR', '--stills', '6', '--minutes', '25'],
  edits: ['accuracy', '--', 'attacks', 'DIR', '--edits', '--minutes', '40'],
  photo: ['bench', '--', '--alone'],
  search: ['bench', '--', 'search', '--alone'],
  video: ['bench', '--', 'video', '--alone'],
  start: ['bench', '--', 'start'],
  runtimes: ['bench', '--', 'runtimes'],
  memory: ['bench', '--', 'memory'],
}

/** Templates are the same in both profiles, networks of `standard` take the most; software attacks take long. */
const onceFor: Partial<Record<FileStep, Profile>> = {
  search: 'standard',
  attacks: 'standard',
  edits: 'standard',
  runtimes: 'standard',
  memory: 'standard',
}

export const formatCommand = (step: FileStep): string => `npm run ${commandArguments[step].join(' ')}`

export const isMeasuredFor = (step: FileStep, profile: Profile): boolean =>
  (onceFor[step] ?? profile) === profile

export const resultFile = (step: FileStep, profile: Profile): string => `${step}-${profile}.json`
