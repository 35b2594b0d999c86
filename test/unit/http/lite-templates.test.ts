import { expect, it } from 'vitest'
import { writeTemplate } from '../../../src/contract/lite/template-file.ts'
import { readLiteParts } from '../../../src/http/lite/read-lite.ts'
import { readSettings } from '../../../src/settings.ts'
import { axisTemplate } from '../../fixtures/assessments.ts'
import { incoming } from '../../fixtures/incoming.ts'
import { turnsDuring } from '../../fixtures/loop-turns.ts'
import { madeTemplate } from '../../fixtures/templates.ts'

it('reading many templates yields to the event loop and keeps their order', async () => {
  const template = madeTemplate(axisTemplate(3))
  const body = new FormData()
  for (let i = 0; i < 60; i++)
    body.append(
      'templates_n',
      new Blob([new Uint8Array(writeTemplate(template))], { type: 'application/octet-stream' }),
      `${i}.bin`,
    )
  const request = new Request('http://a.test/', { method: 'POST', body })
  const kind = { templateModelId: template.modelId, length: template.vector.length }
  const parts = await readLiteParts(incoming(request), readSettings({}), kind)
  const turns = await turnsDuring(async () => {
    const templates = await parts.templates('templates_n')
    expect(templates.map(({ filename }) => filename)).toEqual(
      Array.from({ length: 60 }, (_, i) => `${i}.bin`),
    )
  })
  expect(turns).toBeGreaterThan(3)
})
