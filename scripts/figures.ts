/**
 * `npm run figures`: runs the README's examples in both profiles and writes their answers, and all tables of figures, into the
 * documents.
 *
 * `npm run figures -- --measure DIR [--results FOLDER]` also measures, which takes long. DIR is a folder in the format of
 * `npm run accuracy`. The results of the measurements are kept in FOLDER.
 *
 * `npm run figures -- --results FOLDER` reads these results instead of measuring again.
 *
 * `--only STEP,STEP` selects steps, `--skip STEP,STEP` omits some, `--profile NAME` uses only one profile. Steps: answers,
 * pictures, identify, clips, photo, search, video, start. `--only none` only writes the documents from `docs/figures.json`.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { thisMachine } from '../test/bench/machine.ts'
import { measureAnswers } from './figures/answers.ts'
import { isMeasuredFor } from './figures/commands.ts'
import { figureDocuments } from './figures/documents.ts'
import {
  type Entry,
  type Figures,
  type Profile,
  profiles,
  readFigures,
  type StepName,
  stepNames,
  writeFigures,
} from './figures/figures-file.ts'
import { measureStep, readStep } from './figures/steps.ts'
import { missingResults } from './figures/tables.ts'

const root = '.'

const { values: options } = parseArgs({
  options: {
    measure: { type: 'string' },
    results: { type: 'string' },
    only: { type: 'string' },
    skip: { type: 'string', default: '' },
    profile: { type: 'string' },
  },
})

/** @throws {Error} that lists the choices */
function choose<Name extends string>(list: string, names: readonly Name[]): Name[] {
  const asked = list.split(',').filter((name) => name !== '' && name !== 'none')
  for (const name of asked)
    if (!(names as readonly string[]).includes(name))
      throw new Error(`there is no "${name}"; choose of ${names.join(', ')}`)
  return names.filter((name) => asked.includes(name))
}

function chooseSteps(): StepName[] {
  const { measure, results, only, skip } = options
  const usual = measure !== undefined ? stepNames : results !== undefined ? stepNames.slice(1) : ['answers']
  const left = choose(skip, stepNames)
  const steps = choose(only ?? usual.join(), stepNames).filter((step) => !left.includes(step))
  if (measure === undefined && results === undefined && steps.some((step) => step !== 'answers'))
    throw new Error('name a folder: --measure DIR (of labelled data), or --results FOLDER (of results)')
  return steps
}

async function measureAnswersEntry(profile: Profile): Promise<Entry<'answers'>> {
  process.stderr.write(`answers, profile ${profile}\n`)
  const readme = await readFile(path.join(root, 'README.md'), 'utf8')
  return {
    profile,
    date: new Date().toISOString().slice(0, 10),
    command: 'npm run figures',
    machine: thisMachine(),
    values: await measureAnswers(readme, profile, root),
  }
}

async function readEntry(step: StepName, profile: Profile, results: string): Promise<Entry<StepName>> {
  if (step === 'answers') return measureAnswersEntry(profile)
  if (options.measure !== undefined) await measureStep(step, profile, options.measure, results)
  return readStep(step, profile, results)
}

async function writeDocuments(figures: Figures): Promise<void> {
  for (const [document, text] of Object.entries(await figureDocuments(root, figures))) {
    await writeFile(path.join(root, document), text)
    process.stdout.write(`${document}\n`)
  }
  for (const [step, profile] of missingResults(figures))
    process.stdout.write(
      `no results: ${step}, profile ${profile}; npm run figures -- --measure DIR --only ${step} --profile ${profile}\n`,
    )
}

/** Saves the figures after each step, so that an interrupted run loses one step only. */
async function update(steps: readonly StepName[], results: string): Promise<void> {
  // Earlier figures are not needed if everything is measured in both profiles.
  const replaced = options.profile === undefined ? steps : []
  const figures = await readFigures(root, replaced).catch((error: unknown): Figures => {
    if (replaced.length === stepNames.length) return {}
    throw error
  })
  for (const step of steps) {
    for (const profile of choose(options.profile ?? profiles.join(), profiles)) {
      if (step !== 'answers' && !isMeasuredFor(step, profile)) continue
      const entry = await readEntry(step, profile, results)
      Object.assign(figures, { [step]: { ...figures[step], [profile]: entry } })
      await writeFigures(root, figures)
    }
  }
  await writeDocuments(figures)
}

try {
  const steps = chooseSteps()
  const kept = options.results && path.resolve(options.results)
  const results = kept ?? (await mkdtemp(path.join(tmpdir(), 'figures-')))
  await mkdir(results, { recursive: true })
  try {
    await update(steps, results)
  } finally {
    if (!kept) await rm(results, { recursive: true, force: true })
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
