/** `npm run figures`: writes the figures of the documents. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { thisMachine } from '../../tools/bench/machine.ts'
import { type Command, exitCodes, readOptions, say, UsageError } from '../cli/command.ts'
import { measureAnswers } from './answers.ts'
import { isMeasuredFor } from './commands.ts'
import { figureDocuments } from './documents.ts'
import {
  type Entry,
  type Figures,
  type Profile,
  profiles,
  readFigures,
  type StepName,
  stepNames,
  writeFigures,
} from './figures-file.ts'
import { measureStep, readStep } from './steps.ts'
import { missingResults } from './tables.ts'

const root = '.'

interface FigureOptions {
  measure?: string | undefined
  results?: string | undefined
  only?: string | undefined
  skip: string
  profile?: string | undefined
}

/** @throws {UsageError} that lists the choices */
function choose<Name extends string>(list: string, names: readonly Name[]): Name[] {
  const asked = list.split(',').filter((name) => name !== '' && name !== 'none')
  for (const name of asked)
    if (!(names as readonly string[]).includes(name))
      throw new UsageError(`there is no "${name}"; choose of ${names.join(', ')}`)
  return names.filter((name) => asked.includes(name))
}

function chooseSteps({ measure, results, only, skip }: FigureOptions): StepName[] {
  const usual = measure !== undefined ? stepNames : results !== undefined ? stepNames.slice(1) : ['answers']
  const left = choose(skip, stepNames)
  const steps = choose(only ?? usual.join(), stepNames).filter((step) => !left.includes(step))
  if (measure === undefined && results === undefined && steps.some((step) => step !== 'answers'))
    throw new UsageError('name a folder: --measure DIR (of labelled data), or --results FOLDER (of results)')
  return steps
}

async function measureAnswersEntry(profile: Profile): Promise<Entry<'answers'>> {
  process.stderr.write(`answers, profile ${profile}\n`)
  return {
    profile,
    date: new Date().toISOString().slice(0, 10),
    command: 'npm run figures',
    machine: thisMachine(),
    values: await measureAnswers(profile, root),
  }
}

async function readEntry(
  step: StepName,
  profile: Profile,
  results: string,
  { measure }: FigureOptions,
): Promise<Entry<StepName>> {
  if (step === 'answers') return measureAnswersEntry(profile)
  if (measure !== undefined) await measureStep(step, profile, measure, results)
  return readStep(step, profile, results)
}

async function writeDocuments(figures: Figures): Promise<void> {
  for (const [document, text] of Object.entries(await figureDocuments(root, figures))) {
    await writeFile(path.join(root, document), text)
    say(document)
  }
  for (const [step, profile] of missingResults(figures))
    say(
      `no results: ${step}, profile ${profile}; npm run figures -- --measure DIR --only ${step} --profile ${profile}`,
    )
}

/** Saves the figures after each step, so that an interrupted run loses one step only. */
async function update(steps: readonly StepName[], results: string, options: FigureOptions): Promise<void> {
  // Earlier figures are not needed if everything is measured in both profiles.
  const replaced = options.profile === undefined ? steps : []
  const figures = await readFigures(root, replaced).catch((error: unknown): Figures => {
    if (replaced.length === stepNames.length) return {}
    throw error
  })
  for (const step of steps) {
    for (const profile of choose(options.profile ?? profiles.join(), profiles)) {
      if (step !== 'answers' && !isMeasuredFor(step, profile)) continue
      const entry = await readEntry(step, profile, results, options)
      Object.assign(figures, { [step]: { ...figures[step], [profile]: entry } })
      await writeFigures(root, figures)
    }
  }
  await writeDocuments(figures)
}

export const figuresCommand: Command = {
  name: 'figures',
  summary: 'Run the examples of the documents, and write all figures into the documents',
  usage: `usage: npm run figures [-- --measure DIR] [--results FOLDER] [--only STEP,STEP] [--skip STEP,STEP] [--profile NAME]

Runs the examples of the documents in both profiles and writes their answers, and all tables of figures, into the documents.

  --measure DIR      also measure, which takes long; DIR is a folder in the format of "npm run accuracy"
  --results FOLDER   with --measure: keep the results there; alone: read them instead of measuring again
  --only STEP,...    of ${stepNames.join(', ')};
                     "none" only writes the documents from docs/figures.json
  --skip STEP,...    leave these out
  --profile NAME     only one of ${profiles.join(', ')}

Exit code: 0 done, 1 failed, 64 wrong usage.
`,
  async run(args) {
    const options = readOptions(args, {
      measure: { type: 'string' },
      results: { type: 'string' },
      only: { type: 'string' },
      skip: { type: 'string', default: '' },
      profile: { type: 'string' },
    })
    const steps = chooseSteps(options)
    const kept = options.results && path.resolve(options.results)
    const results = kept ?? (await mkdtemp(path.join(tmpdir(), 'figures-')))
    await mkdir(results, { recursive: true })
    try {
      await update(steps, results, options)
    } finally {
      if (!kept) await rm(results, { recursive: true, force: true })
    }
    return exitCodes.done
  },
}
