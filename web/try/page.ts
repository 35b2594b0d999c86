/** The try page: a selfie, an ID if wanted, and the verdict with all that it was made of. */

import { copyButton } from '../copy.ts'
import { find, h } from '../dom.ts'
import { type Access, accessForm } from './access.ts'
import { type Analysis, analysisOf, type CheckAnswer, isId, type Medium, mediumOf } from './answer.ts'
import { ClipProgress, type ClipState, roundLeft } from './clip-progress.ts'
import { describeDocument, documentCard, noDocument } from './document.ts'
import { attackCard, card, matchCard, networksCard, qualityCard, timingsCard } from './evidence.ts'
import { framesCard } from './frames.ts'
import { t } from './language.ts'
import { languageChoice, translatePage } from './page-language.ts'
import { measureClip, showBase64, showFrames, showPhoto } from './picture.ts'
import { type Sample, sampleButtons } from './samples.ts'
import {
  check,
  describeRefusal,
  fetchSample,
  isClip,
  Refusal,
  readConfig,
  readDocument,
  type Submission,
  signOut,
  toCurl,
} from './service.ts'
import { Slot } from './slot.ts'
import { livenessVerdict, matchVerdict, type Verdict } from './words.ts'

translatePage()
find('language').append(languageChoice())

const verdictPlace = find('verdict')
const evidencePlace = find('evidence')
const status = find('status')
const session = find('session')

let access: Access | null = null
/** Counts checks: what comes late from an earlier one is dropped. */
let turn = 0
/** Ends the calls of the check that runs. */
let running: AbortController | null = null
/** Ends what shows the progress of a clip. */
let endWatch = (): void => {}
/** Whether the verdict on the page is that of the check that runs, or ran last. */
let hasVerdict = false

const selfie = new Slot(
  {
    id: 'selfie',
    title: t('Selfie'),
    hint: t('A photo, or a clip of a few seconds.'),
    camera: true,
    drawing: 'face',
  },
  () => void run(),
)
const idPhoto = new Slot(
  {
    id: 'id-photo',
    title: t('ID, if you like'),
    hint: t('A photo of a document, which is read too, or another photo of the person.'),
    camera: false,
    drawing: 'card',
  },
  () => void run(),
)
find('slots').append(selfie.element, idPhoto.element)

/** Whether Instant needs a token from programs. */
let needsToken = false

/** Once the server has told what it reads, the dialogs offer nothing else, and the page promises no more. */
async function followConfig(): Promise<void> {
  const config = await readConfig()
  const { accepted_types: types, pages_open } = config
  needsToken = config.token_required
  find('samples').append(...sampleButtons(config, (sample) => void runSample(sample)))
  // Systems that do not know Matroska tell its files by their ending.
  selfie.offer(types.flatMap((type) => (type === 'video/x-matroska' ? [type, '.mkv'] : type)))
  idPhoto.offer(types.filter((type) => type.startsWith('image/')))
  if (!pages_open)
    idPhoto.hint = t(
      'A photo of a document or of the person. A document is read too once somebody has signed in.',
    )
}
// Without an answer all files can be chosen, and the server says what it does not read.
followConfig().catch(() => {})

const icons: Record<Verdict['tone'], string> = { good: '✓', bad: '✕', open: '?' }

const showVerdict = ({ tone, title, text }: Verdict, question: string): HTMLElement =>
  h(
    'section',
    { class: `verdict ${tone}` },
    h('span', { class: 'icon', 'aria-hidden': 'true' }, icons[tone]),
    h('div', {}, h('p', { class: 'question' }, question), h('h2', {}, title), h('p', {}, text)),
  )

function showProblem(title: string, text: string, ...actions: HTMLElement[]): void {
  verdictPlace.replaceChildren(
    h(
      'section',
      { class: 'verdict open', role: 'alert' },
      h('span', { class: 'icon', 'aria-hidden': 'true' }, '!'),
      h('div', {}, h('h2', {}, title), h('p', {}, text), h('div', { class: 'row' }, ...actions)),
    ),
  )
}

const againButton = () => h('button', { type: 'button', click: () => void run() }, t('Try again'))

/**
 * Asks to sign in, or for a token, and then checks again.
 * @param refusal what the service said of the last token; `null` if there was none
 * @param replaced what the form takes the place of; `null` for all that is shown
 */
async function askForAccess(
  reason: string,
  refusal: string | null,
  replaced: HTMLElement | null,
): Promise<void> {
  const mine = turn
  const form = await accessForm(reason, refusal, (given) => {
    access = given
    showSession()
    void run()
  })
  if (mine !== turn) return
  if (replaced) replaced.replaceWith(form)
  else {
    verdictPlace.replaceChildren(form)
    evidencePlace.replaceChildren()
  }
  form.querySelector('input')?.focus()
}

function showSession(): void {
  if (access === null) {
    session.replaceChildren()
    return
  }
  const { token, isSession } = access
  const end = () => {
    if (isSession) signOut(token)
    access = null
    showSession()
  }
  const label = isSession ? t('Sign out') : t('Forget the token')
  session.replaceChildren(h('button', { type: 'button', class: 'quiet', click: end }, label))
}

/** The picture that the places of a medium refer to: from the file, else the best shot of the answer. */
async function pictureOf(file: File, medium: Medium, timeS: number | null, shot: string | null) {
  const turns = medium.technical_meta_data.quarter_turns ?? 0
  try {
    if (isClip(file)) return (await showFrames(file, [timeS ?? 0], turns))[0]!
    return await showPhoto(file, turns)
  } catch {
    return shot === null ? null : showBase64(shot)
  }
}

/** Draws the faces into the places of the files. */
async function showFaces({ folder }: CheckAnswer, submission: Submission): Promise<void> {
  const liveness = analysisOf(folder, 'QUALITY')
  const match = analysisOf(folder, 'BIOMETRY')
  for (const medium of folder.media) {
    const [slot, file] = isId(medium) ? [idPhoto, submission.idPhoto] : ([selfie, submission.selfie] as const)
    if (!file) continue
    const found = (isId(medium) ? match : liveness) ?? match
    const { detail } = mediumOf(found, medium.media_id)
    const shots = found?.results_media.find(({ source_media_id }) => source_media_id === medium.media_id)
    const shot = shots?.output_images[0]?.image_b64 ?? null
    const picture = await pictureOf(file, medium, detail?.picture?.time ?? null, shot)
    if (picture && slot.file === file) slot.showFaces(picture, detail?.picture ?? null)
  }
}

function answerCard(answer: CheckAnswer, submission: Submission): HTMLElement {
  const curl = toCurl(submission, answer, needsToken || access !== null)
  const fold = (title: string, text: string) =>
    h('details', {}, h('summary', {}, title), h('pre', { tabindex: 0 }, text))
  const command = fold(t('Command'), curl)
  const shown = fold(t('Answer'), answer.text)
  const open = (details: HTMLDetailsElement) => {
    details.open = true
    return details.querySelector('pre')!
  }
  return card(
    t('The same from your code'),
    h(
      'div',
      { class: 'row' },
      copyButton(
        t('Copy as curl'),
        () => curl,
        () => open(command),
        t,
      ),
      copyButton(
        t('Copy JSON'),
        () => answer.text,
        () => open(shown),
        t,
      ),
    ),
    command,
    shown,
  )
}

function showEvidence(answer: CheckAnswer, submission: Submission): void {
  const { folder } = answer
  const liveness = analysisOf(folder, 'QUALITY')
  const selfieId = liveness?.source_media[0]?.media_id
  const { sample, detail } = mediumOf(liveness, selfieId)
  const bounds = liveness?.technical_meta_data.detail?.quality_bounds ?? {}
  const medium = folder.media.find(({ media_id }) => media_id === selfieId)
  const clip = isClip(submission.selfie)
  const cards = [
    liveness && attackCard(liveness, detail, clip),
    matchCard(answer),
    answerCard(answer, submission),
    framesCard(submission.selfie, detail?.picture?.frames ?? [], {
      turns: medium?.technical_meta_data.quarter_turns ?? 0,
      threshold: liveness?.confs.threshold_spoofing ?? 0.5,
    }),
    qualityCard(t('Quality of the selfie'), sample, bounds),
    networksCard(detail),
    timingsCard(detail, answer.totalMs),
  ]
  evidencePlace.replaceChildren(...cards.filter((shown) => shown !== null))
}

/** Shows what the ID says behind the verdict, which does not wait for it. */
async function showDocument(
  { service }: CheckAnswer,
  { idPhoto }: Submission,
  stop: AbortSignal,
): Promise<void> {
  if (!idPhoto || service !== 'instant') return
  showWork(t('Reading the document…'))
  const analysis = await readDocument(idPhoto, access?.token ?? null, stop).catch((error: unknown) => {
    if (error instanceof Refusal) return null
    throw error
  })
  if (!analysis || analysis.error_code === noDocument || stop.aborted) return
  const shown = describeDocument(analysis)
  evidencePlace.prepend(documentCard(shown))
  status.textContent += ` ${t('Document')}: ${inWords(shown.verdict)}`
}

/** Reads an ID that there is no selfie for. */
async function checkDocument(idPhoto: File, stop: AbortSignal): Promise<void> {
  const { documents_analysis_enabled, pages_open } = await readConfig()
  const mayRead = access !== null || pages_open
  const analysis =
    documents_analysis_enabled && mayRead ? await readDocument(idPhoto, access?.token ?? null, stop) : null
  if (stop.aborted) return
  evidencePlace.replaceChildren()
  verdictPlace.replaceChildren()
  status.textContent = ''
  if (analysis) {
    const { verdict, fields } = describeDocument(analysis)
    verdictPlace.append(showVerdict(verdict, t('Document')))
    if (fields) evidencePlace.append(card(t('Fields of the document'), fields))
    showProfile(analysis)
    status.textContent = inWords(verdict)
    hasVerdict = true
  } else if (documents_analysis_enabled) verdictPlace.append(offerReading())
  if (verdictPlace.firstChild) scrollToVerdict()
}

const inWords = ({ title, text }: Verdict): string => `${title}. ${text}`

function showProfile(analysis: Analysis | undefined): void {
  const { sandbox, model_profile, assurance } = analysis?.technical_meta_data ?? {}
  if (!model_profile) return
  const networks =
    assurance === 'low'
      ? t('{profile} networks, low assurance', { profile: model_profile })
      : t('{profile} networks', { profile: model_profile })
  find('profile').textContent = sandbox ? t('Sandbox: nothing was checked') : networks
}

/** What there is to do with an ID alone where reading needs a token. */
function offerReading(): HTMLElement {
  const hint = h('p', { class: 'hint' })
  const ask = () => void askForAccess(t('This server checks pictures for its users.'), null, hint)
  hint.append(
    t('Add a selfie to compare the faces, or sign in to have the document read.'),
    ' ',
    h('button', { type: 'button', class: 'link', click: ask }, t('Sign in')),
  )
  return hint
}

/** What signing in adds to a comparison by Lite. */
function offerMore(): HTMLElement {
  const reason = t(
    'Signed in, the page shows the faces, landmarks and thresholds of both pictures, and what a document says.',
  )
  const hint = h('p', { class: 'hint' }, t('Compared without signing in, by Lite.'), ' ')
  const ask = () => void askForAccess(reason, null, hint)
  const text = t('Sign in to see more of the comparison, and to have a document read')
  hint.append(h('button', { type: 'button', class: 'link', click: ask }, text))
  return hint
}

function showAnswer(answer: CheckAnswer, submission: Submission): void {
  const match = matchVerdict(answer)
  const liveness = livenessVerdict(answer)
  verdictPlace.replaceChildren(
    showVerdict(liveness, t('Is it a live person?')),
    ...(match ? [showVerdict(match, t('Is it the same person?'))] : []),
  )
  if (answer.service === 'lite' && submission.idPhoto) verdictPlace.append(offerMore())
  showEvidence(answer, submission)
  showProfile(answer.folder.analyses[0])
  status.textContent = [liveness, match].map((verdict) => (verdict ? inWords(verdict) : '')).join(' ')
}

/** Brings the verdict into view on small screens. */
function scrollToVerdict(): void {
  const { top, bottom } = verdictPlace.getBoundingClientRect()
  if (top >= 0 && bottom <= innerHeight) return
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  verdictPlace.scrollIntoView({ block: 'start', behavior: isCalm ? 'auto' : 'smooth' })
}

async function showRefusal(error: unknown): Promise<void> {
  evidencePlace.replaceChildren()
  status.textContent = ''
  if (!(error instanceof Refusal)) throw error
  const message = error.message.charAt(0).toUpperCase() + error.message.slice(1)
  if (error.kind === 'sign_in') {
    const before = access
    access = null
    showSession()
    await askForAccess(
      before === null
        ? t('This server checks pictures for its users.')
        : t('The session has ended. Sign in again.'),
      before && message.replace(/\.$/, ''),
      null,
    )
  } else if (error.kind === 'unreachable') showProblem(t('No connection'), message, againButton())
  else if (error.kind === 'busy') showProblem(t('Please wait'), message, againButton())
  else {
    const text = describeRefusal(error)
    showProblem(t('Could not be checked'), text.endsWith('.') ? text : `${text}.`)
  }
}

/** @param text what the page waits for, beside the button that cancels it; `null` for nothing */
function showWork(text: string | null): void {
  find('work').hidden = text === null
  find('work-text').textContent = text ?? ''
}

/** @param isBusy whether the verdict is still to come */
function setBusy(isBusy: boolean): void {
  for (const slot of [selfie, idPhoto]) slot.setBusy(isBusy)
  verdictPlace.setAttribute('aria-busy', String(isBusy))
  showWork(isBusy ? t('Checking…') : null)
}

function describeProgress({ sent, leftS, isLate }: ClipState): string {
  if (leftS !== null) {
    const seconds = roundLeft(leftS)
    return sent < 1
      ? t('Sending, about {seconds} s left', { seconds })
      : t('Checking, about {seconds} s left', { seconds })
  }
  if (isLate) return t('This takes longer than expected…')
  return sent < 1 ? t('Sending, {percent} %', { percent: Math.floor(sent * 100) }) : t('Checking…')
}

/** What is heard of a wait, at most once in this time. */
const heardMs = 5000

/** Shows how far the check of a clip is, until it ends. */
function watchClip(clip: File, stop: AbortSignal): ClipProgress {
  const bar = find<HTMLProgressElement>('progress')
  const progress = new ClipProgress(performance.now())
  let heardAtMs = performance.now()
  const show = () => {
    const nowMs = performance.now()
    const state = progress.at(nowMs)
    if (state.share === null) bar.removeAttribute('value')
    else bar.value = state.share
    const text = describeProgress(state)
    showWork(text)
    if (nowMs - heardAtMs < heardMs) return
    heardAtMs = nowMs
    status.textContent = text
  }
  void measureClip(clip).then((size) => {
    progress.size = size
  })
  bar.hidden = false
  show()
  const timer = setInterval(show, 250)
  const end = () => {
    clearInterval(timer)
    bar.hidden = true
  }
  endWatch = end
  stop.addEventListener('abort', end, { once: true })
  return progress
}

function endCheck(): void {
  running = null
  endWatch()
  setBusy(false)
}

/** Stops the check that runs: the service need not go on with it, and nothing of it is shown. */
function stopCheck(): void {
  turn++
  running?.abort()
  endCheck()
}

/** What was shown before belongs to other files. A verdict that is there stays. */
function cancel(): void {
  if (!running) return
  stopCheck()
  if (hasVerdict) {
    verdictPlace.focus()
    return
  }
  evidencePlace.replaceChildren()
  status.textContent = ''
  const again = againButton()
  showProblem(t('Cancelled'), t('The check was cancelled before it was done.'), again)
  again.focus()
}

/** Checks a sample alone. */
async function runSample({ name, isId = false }: Sample): Promise<void> {
  stopCheck()
  const mine = turn
  try {
    const file = await fetchSample(name)
    if (mine !== turn) return
    selfie.put(isId ? null : file)
    idPhoto.put(isId ? file : null)
    await run()
  } catch (error) {
    if (mine === turn) await showRefusal(error)
  }
}

async function checkSelfie(submission: Submission, stop: AbortSignal): Promise<void> {
  const progress = isClip(submission.selfie) ? watchClip(submission.selfie, stop) : null
  const onProgress = ({ loaded, total }: { loaded: number; total: number }) =>
    progress?.send(loaded / total, performance.now())
  const answer = await check(submission, access?.token ?? null, stop, progress ? onProgress : undefined)
  if (stop.aborted) return
  progress?.answer(performance.now())
  endWatch()
  showWork(t('Checking…'))
  showAnswer(answer, submission)
  hasVerdict = true
  scrollToVerdict()
  await showFaces(answer, submission)
  if (stop.aborted) return
  setBusy(false)
  await showDocument(answer, submission, stop)
}

/** Checks what is chosen now. */
async function run(): Promise<void> {
  stopCheck()
  hasVerdict = false
  const mine = turn
  const [{ file }, { file: idFile }] = [selfie, idPhoto]
  document.body.classList.toggle('started', file !== null || idFile !== null)
  if (!file && !idFile) {
    verdictPlace.replaceChildren()
    evidencePlace.replaceChildren()
    status.textContent = ''
    return
  }
  running = new AbortController()
  const { signal } = running
  setBusy(true)
  status.textContent = t('Checking…')
  verdictPlace.querySelector('form')?.remove()
  try {
    if (file) await checkSelfie({ selfie: file, idPhoto: idFile }, signal)
    else if (idFile) await checkDocument(idFile, signal)
  } catch (error) {
    if (mine !== turn) return
    await showRefusal(error)
    if (mine === turn) scrollToVerdict()
  } finally {
    if (mine === turn) endCheck()
  }
}

find('cancel').addEventListener('click', cancel)
// Browsers may keep a page that was left, and show it again as it was.
window.addEventListener('pagehide', cancel)
// A file dropped beside the places must not replace the page.
for (const event of ['dragover', 'drop'])
  window.addEventListener(event, (dropped) => dropped.preventDefault())
find<HTMLInputElement>('lines').addEventListener('change', ({ target }) => {
  document.body.classList.toggle('without-lines', !(target as HTMLInputElement).checked)
})
