/** The Lite service's biometry methods: extract, compare, verify, and their 1:N forms. */

import { type Context, Hono } from 'hono'
import { encodeBase64 } from '../../base64.ts'
import { liteComparisonAnswer, liteComparisonsAnswer } from '../../contract/answers/others.ts'
import { comparisonView } from '../../contract/lite/comparison-view.ts'
import { type Template, writeTemplate } from '../../contract/lite/template-file.ts'
import { spacedJson } from '../../contract/spaced-json.ts'
import type { NamedSample } from '../../lite/lite-service.ts'
import type { OpenedMedium } from '../../media/opened-medium.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { json, sampleBody } from '../describe-endpoint.ts'
import { reply } from '../reply.ts'
import { describeLite } from './describe-lite.ts'
import { healthRoutes } from './health.ts'
import { liteCall } from './lite-call.ts'
import { type Named, readLiteParts, readSampleBody, usesBase64 } from './read-lite.ts'

function encodeTemplate(request: Request, template: Template): Uint8Array {
  const bytes = writeTemplate(template)
  return usesBase64(request) ? new TextEncoder().encode(encodeBase64(bytes)) : bytes
}

/** The older of the two documented answers of verify: the score and the new template as multipart parts. */
function writeMultipartAnswer(
  boundary: string,
  score: number,
  template: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder()
  const head = (name: string, type: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n`
  const before = text.encode(
    `${head('score', 'application/json')}${spacedJson({ score })}\r\n${head('bio_feature', 'application/octet-stream')}`,
  )
  const after = text.encode(`\r\n--${boundary}--\r\n`)
  const body = new Uint8Array(before.length + template.length + after.length)
  body.set(before)
  body.set(template, before.length)
  body.set(after, before.length + template.length)
  return body
}

const wantsMultipart = (c: Context): boolean => /multipart\//i.test(c.req.header('Accept') ?? '')

export const patternRoutes = (deps: Deps) => {
  const { settings, services } = deps
  const { lite } = services
  const parts = (c: Context<AppEnv>) => readLiteParts(c.var.incoming, settings, deps.platform.models.cohort)
  const extract = (c: Context<AppEnv>, sample: NamedSample): Promise<Template> =>
    lite.extractNamed(sample, liteCall(c, deps))
  const compareOne = async (main: Template, other: Template) => {
    const [comparison] = await lite.compare(main, [other])
    return comparisonView(comparison!)
  }
  /** Compares one template with many. The answer lists them in order, by file name. */
  async function replyToMany(
    c: Context<AppEnv>,
    main: Template,
    others: readonly Named<Template>[],
  ): Promise<Response> {
    const comparisons = await lite.compare(
      main,
      others.map(({ value }) => value),
    )
    const results = others.map(({ filename }, i) => ({ filename, ...comparisonView(comparisons[i]!) }))
    return reply(c, { results })
  }
  /** Samples are assessed one at a time, so that a long list does not fill the queue for other callers. */
  async function extractEach(
    c: Context<AppEnv>,
    samples: readonly Named<OpenedMedium>[],
  ): Promise<Named<Template>[]> {
    const templates: Named<Template>[] = []
    for (const sample of samples) templates.push({ ...sample, value: await extract(c, sample) })
    return templates
  }
  return new Hono<AppEnv>()
    .route('/', healthRoutes(deps, 'Health of the biometry processor'))
    .post(
      '/extract',
      describeLite(
        'Biometric template of an image',
        { 200: { text: 'The template', type: 'application/octet-stream' } },
        { body: sampleBody(deps.platform.acceptedTypes) },
      ),
      async (c) => {
        const sample = await readSampleBody(c.var.incoming, settings, deps.platform.acceptedTypes)
        const template = await lite.extract(sample, liteCall(c, deps))
        return c.body(new Uint8Array(encodeTemplate(c.req.raw, template)), 200, {
          'Content-Type': 'application/octet-stream',
        })
      },
    )
    .post(
      '/compare',
      describeLite(
        'Compare two templates',
        { 200: json('Score and decision', liteComparisonAnswer) },
        { form: { files: ['bio_feature', 'bio_template'] } },
      ),
      async (c) => {
        const body = await parts(c)
        return reply(c, await compareOne(body.template('bio_feature'), body.template('bio_template')))
      },
    )
    .post(
      '/verify',
      describeLite(
        'Compare an image with a template',
        { 200: json('Score and decision', liteComparisonAnswer) },
        { form: { files: ['sample', 'bio_template'] } },
      ),
      async (c) => {
        const body = await parts(c)
        const reference = body.template('bio_template')
        const probe = await extract(c, body.sample('sample'))
        const comparison = await compareOne(probe, reference)
        if (!wantsMultipart(c)) return reply(c, comparison)
        const boundary = deps.platform.randomId()
        return c.body(
          writeMultipartAnswer(boundary, comparison.score, encodeTemplate(c.req.raw, probe)),
          200,
          {
            'Content-Type': `multipart/form-data; boundary=${boundary}`,
          },
        )
      },
    )
    .post(
      '/extract_and_compare',
      describeLite(
        'Compare two images',
        { 200: json('Score and decision', liteComparisonAnswer) },
        { form: { files: ['sample_1', 'sample_2'] } },
      ),
      async (c) => {
        const body = await parts(c)
        const samples = [body.sample('sample_1'), body.sample('sample_2')]
        const [main, other] = await Promise.all(samples.map((sample) => extract(c, sample)))
        return reply(c, await compareOne(main!, other!))
      },
    )
    .post(
      '/compare_n',
      describeLite(
        'Compare a template with many',
        { 200: json('Score and decision for each, by file name', liteComparisonsAnswer) },
        { form: { files: ['template_1', 'templates_n'] } },
      ),
      async (c) => {
        const body = await parts(c)
        const main = body.template('template_1')
        const others = await body.templates('templates_n')
        return replyToMany(c, main, others)
      },
    )
    .post(
      '/verify_n',
      describeLite(
        'Compare an image with many templates',
        { 200: json('Score and decision for each, by file name', liteComparisonsAnswer) },
        { form: { files: ['sample_1', 'templates_n'] } },
      ),
      async (c) => {
        const body = await parts(c)
        const others = await body.templates('templates_n')
        const main = await extract(c, body.sample('sample_1'))
        return replyToMany(c, main, others)
      },
    )
    .post(
      '/extract_and_compare_n',
      describeLite(
        'Compare an image with many images',
        { 200: json('Score and decision for each, by file name', liteComparisonsAnswer) },
        { form: { files: ['sample_1', 'samples_n'] } },
      ),
      async (c) => {
        const body = await parts(c)
        const others = await body.samples('samples_n')
        const main = await extract(c, body.sample('sample_1'))
        return replyToMany(c, main, await extractEach(c, others))
      },
    )
}
