/** A choice of the server's sample pictures, beside the field for a file. */
import { h } from '../dom.ts'
import type { ApiDocument } from './document.ts'

const samples = new WeakSet<File>()

const addressOf = (fileName: string): string => `${location.origin}/samples/${fileName}`

/** Where a file is downloaded; `null` for one of the caller's own. */
export const sampleAddress = (file: File): string | null => (samples.has(file) ? addressOf(file.name) : null)

const sandboxNames = ({ components }: ApiDocument): readonly unknown[] =>
  components.schemas.Folder?.properties?.technical_meta_data?.properties?.sandbox?.enum ?? []

async function load(name: string): Promise<File> {
  const fileName = `${name}.png`
  const response = await fetch(addressOf(fileName))
  if (!response.ok) throw new Error(`status ${response.status}`)
  const file = new File([await response.blob()], fileName, { type: 'image/png' })
  samples.add(file)
  return file
}

/** @param label of the field */
export function sampleChoice(
  document: ApiDocument,
  label: string,
  field: HTMLInputElement,
): HTMLSelectElement {
  const option = (value: unknown) => h('option', { value: String(value) }, String(value))
  const none = h('option', { value: '' }, 'Or a sample…')
  const choice = h(
    'select',
    { 'aria-label': `Sample: ${label}` },
    none,
    option('passport'),
    h('optgroup', { label: 'Outcomes of a sandbox' }, ...sandboxNames(document).map(option)),
  )
  const take = async () => {
    const { value } = choice
    field.setCustomValidity(value === '' ? '' : 'The sample is being loaded')
    const file = value === '' ? null : await load(value).catch(() => null)
    // Another choice was made meanwhile.
    if (choice.value !== value) return
    field.setCustomValidity('')
    if (value !== '' && !file) {
      none.textContent = 'The sample cannot be loaded'
      choice.value = ''
    }
    const chosen = new DataTransfer()
    if (file) chosen.items.add(file)
    field.files = chosen.files
  }
  choice.addEventListener('change', () => void take())
  field.addEventListener('change', () => {
    choice.value = ''
    field.setCustomValidity('')
  })
  return choice
}
