/** A place to drop photos and folders of photos, or to choose photos. */
import { useId, useState } from 'preact/hooks'
import { useLoaded } from '../load.ts'
import { api } from '../session.ts'
import { attempt } from './notices.tsx'

/** Files that belong together: those of one folder, or a single one. */
export interface DroppedGroup {
  name: string
  files: File[]
}

interface DropZoneProps {
  label: string
  hint: string
  multiple?: boolean
  onGroups(groups: DroppedGroup[]): void
}

/** Pictures that the server reads, as inputs accept them. */
export function useAcceptedPictures(): string {
  const config = useLoaded((signal) => api('GET /api/config', { signal }), [])
  return config.data?.accepted_types.filter((type) => type.startsWith('image/')).join() ?? 'image/*'
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

const withoutEnding = (name: string): string => name.replace(/\.[^.]+$/, '')

const single = (file: File): DroppedGroup => ({ name: withoutEnding(file.name), files: [file] })

/** Browsers give the entries of a folder in parts of up to a hundred. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return all
    all.push(...some)
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

/** A folder with files is one group; one with folders has a group for each of them. */
async function groupsOf(entry: FileSystemEntry, isTop: boolean): Promise<DroppedGroup[]> {
  if (isFile(entry)) return [single(await fileOf(entry))]
  if (!isFolder(entry)) return []
  const entries = (await entriesOf(entry)).filter(({ name }) => !name.startsWith('.'))
  const files = await Promise.all(entries.filter(isFile).map(fileOf))
  const folders = entries.filter(isFolder)
  const below = (await Promise.all(folders.map((folder) => groupsOf(folder, false)))).flat()
  // As the command line has it: files beside folders are people of their own.
  const own =
    isTop && folders.length > 0 ? files.map(single) : files.length > 0 ? [{ name: entry.name, files }] : []
  return [...own, ...below]
}

export function DropZone({ label, hint, multiple = false, onGroups }: DropZoneProps) {
  const id = useId()
  const accepted = useAcceptedPictures()
  const [isOver, setOver] = useState(false)
  const onDrop = async (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    // The list is empty after the event.
    const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry())
    await attempt(async () => {
      const read = await Promise.all(entries.map((entry) => (entry ? groupsOf(entry, true) : [])))
      const groups = read.flat()
      if (groups.length > 0) onGroups(multiple ? groups : groups.slice(0, 1))
    })
  }
  const onChosen = (input: HTMLInputElement) => {
    const files = [...(input.files ?? [])]
    input.value = ''
    if (files.length > 0) onGroups(files.map(single))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut to the input
    <div
      class={`drop-zone ${isOver ? 'over' : ''}`}
      onDragOver={() => setOver(true)}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <input
        id={id}
        type="file"
        accept={accepted}
        multiple={multiple}
        onChange={({ currentTarget }) => onChosen(currentTarget)}
      />
      <label for={id}>{label}</label>
      <p class="hint">{hint}</p>
    </div>
  )
}
