/** Reports of folders and their templates. */
import { PDF } from '@libpdf/core'
import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../../fixtures/portraits.ts'
import { keepsFolders } from '../../fixtures/server.ts'
import { type Answer, file, form, url } from '../client.ts'
import {
  call,
  createCompany,
  createUser,
  type Signed,
  signInAsAdmin,
  tokenHeader,
  upload,
} from './service.ts'

describe.skipIf(!keepsFolders)('reports', () => {
  let admin: Signed
  let client: Signed
  let manager: Signed
  let stranger: Signed
  let photo: Uint8Array

  beforeAll(async () => {
    photo = await portrait('redhead')
    admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Banca Română')
    client = await createUser(admin.token, company, 'CLIENT')
    manager = await createUser(admin.token, company, 'CLIENT_ADMIN')
    stranger = await createUser(admin.token, await createCompany(admin.token, 'Elsewhere'), 'CLIENT_ADMIN')
  })

  const ask = (who: Signed, method: string, path: string, body?: unknown) =>
    call(who.token, method, `/api/${path}`, body)
  const refusal = async (answer: Promise<Answer>) => {
    const { status, json } = await answer
    return [status, json.error_code, json.details?.key_path]
  }

  /** A folder with a photo and a liveness analysis, and an analysis that cannot be decided. */
  async function fill(metadata = '{"client_iin": "870421300123"}'): Promise<Answer['json']> {
    const payload = `{"folder:meta_data": ${metadata}, "analyses": [{"type": "quality"}]}`
    const { json } = await upload(client.token, '/api/folders', form([file('selfie', photo)], payload))
    return json
  }

  const report = (folder: { folder_id: string }, body?: object, who = client) =>
    ask(who, 'POST', `folders/${folder.folder_id}/reports/`, body)

  async function download(link: string): Promise<{ status: number; headers: Headers; bytes: Uint8Array }> {
    const response = await fetch(`${url}${new URL(link).pathname}`)
    return {
      status: response.status,
      headers: response.headers,
      bytes: new Uint8Array(await response.arrayBuffer()),
    }
  }
  const textOf = async (link: string) => new TextDecoder().decode((await download(link)).bytes)
  const pdfText = async (link: string) => {
    const pdf = await PDF.load((await download(link)).bytes)
    return pdf
      .getPages()
      .map((page) => page.extractText().text)
      .join('\n')
  }

  it('names a case as its company does, unless the request chooses other fields', async () => {
    const reference = (field: string) =>
      ask(admin, 'PATCH', `companies/${client.companyId}`, { reference_field: field })
    await reference('order')
    const folder = await fill('{"order": "KYC-2026-10003", "client_iin": "870421300123"}')
    const { json } = await report(folder)
    expect(await textOf(json.html_url)).toMatch(/KYC-2026-10003[\s\S]*870421300123/)
    expect(await pdfText(json.report_url)).toContain('KYC-2026-10003')
    const chosen = await report(folder, { meta_data_fields: ['client_iin'] })
    expect(await textOf(chosen.json.html_url)).not.toContain('KYC-2026-10003')
    await reference('')
  })

  it('F9: a folder’s report is made as PDF and HTML, and kept', async () => {
    const folder = await fill()
    const made = await report(folder)
    expect([made.status, made.json]).toEqual([
      201,
      {
        report_id: expect.any(String),
        folder_id: folder.folder_id,
        company_id: client.companyId,
        user_id: client.userId,
        template_id: '00000000-0000-4000-8000-0000000a0001',
        template_name: 'Report with pictures',
        attachments: true,
        state: 'FINISHED',
        file_name: `report_${folder.folder_id}_${made.json.report_id}.pdf`,
        report_url: expect.stringMatching(/\.pdf$/),
        html_url: expect.stringMatching(/\.html$/),
        info: { pdf: { size: expect.any(Number) }, html: { size: expect.any(Number) } },
        time_created: expect.any(Number),
      },
    ])
    const pdf = await download(made.json.report_url)
    expect([pdf.status, pdf.headers.get('Content-Type'), pdf.bytes.length]).toEqual([
      200,
      'application/pdf',
      made.json.info.pdf.size,
    ])
    expect(pdf.headers.get('Content-Disposition')).toBe(`inline; filename="${made.json.file_name}"`)
    const shown = await pdfText(made.json.report_url)
    const { results_data } = folder.analyses[0]
    for (const words of [
      folder.folder_id,
      'Banca Română',
      '870421300123',
      'Accepted',
      'by the service',
      'Attack score',
      'below 0.5',
      String(Number(results_data.confidence_spoofing.toFixed(4))),
      'facemesh-468',
      'Requested analysis 1',
    ])
      expect([words, shown.includes(words)]).toEqual([words, true])
    const html = await download(made.json.html_url)
    expect(html.bytes.length).toBe(made.json.info.html.size)
    expect(html.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(html.headers.get('Content-Disposition')).toBe(
      `attachment; filename="${made.json.file_name.replace('.pdf', '.html')}"`,
    )
    expect(html.headers.get('Content-Security-Policy')).toMatch(
      /^sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'/,
    )
    expect(html.headers.get('X-Content-Type-Options')).toBe('nosniff')
    const text = new TextDecoder().decode(html.bytes)
    expect(text).toContain('<td>870421300123</td>')
    expect(text.split('<img src="data:image/jpeg;base64,').length - 1).toBe(1)
  })

  it('F15: reports are listed, read and removed', async () => {
    const folder = await fill()
    const made = [await report(folder), await report(folder, {}, manager)].map(({ json }) => json)
    const listed = await ask(client, 'GET', `folders/${folder.folder_id}/reports?sorting=time_created{asc}`)
    expect(listed.json).toEqual({ offset: 0, limit: 100, total_count: 2, items: made })
    const all = await ask(client, 'GET', `reports/?folder_id=${folder.folder_id}&limit=1&total_omit=true`)
    expect([all.json.total_count, all.json.items.length]).toEqual([null, 1])
    expect((await ask(client, 'GET', 'reports?foldr_id=1')).json.error_message).toContain("'folder_id'")
    const one = `reports/${made[0].report_id}`
    expect((await ask(client, 'GET', one)).json).toEqual(made[0])
    expect((await ask(stranger, 'GET', one)).status).toBe(404)
    expect((await ask(stranger, 'GET', `reports?folder_id=${folder.folder_id}`)).json.items).toEqual([])
    expect((await report(folder, {}, stranger)).status).toBe(404)
    expect((await ask(client, 'DELETE', one)).status).toBe(403)
    expect((await ask(stranger, 'DELETE', one)).status).toBe(404)
    expect((await ask(manager, 'DELETE', one)).status).toBe(204)
    expect((await ask(manager, 'DELETE', one)).status).toBe(404)
    for (const link of [made[0].report_url, made[0].html_url]) expect((await download(link)).status).toBe(404)
    expect((await download(made[1].report_url)).status).toBe(200)
    for (const path of ['reports/no-id', 'folders/no-id/reports'])
      expect((await ask(client, 'GET', path)).status).toBe(404)
  })

  it('a report is part of the artifacts of its folder', async () => {
    const folder = await fill()
    const { json } = await report(folder)
    const response = await fetch(`${url}/api/folders/${folder.folder_id}/artifacts`, {
      headers: tokenHeader(client.token),
    })
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
    expect(files[`reports/${json.file_name}`]?.length).toBe(json.info.pdf.size)
    expect(files[`reports/${json.file_name.replace('.pdf', '.html')}`]?.length).toBe(json.info.html.size)
  })

  it('reports go with their folder, with personal data and with a medium', async () => {
    const links = async (folder: Answer['json']) => {
      const { json } = await report(folder)
      return [json.report_url, json.html_url]
    }
    const gone = async (folder: Answer['json'], of: string[]) => {
      for (const link of of) expect((await download(link)).status).toBe(404)
      const { json } = await ask(manager, 'GET', `reports?folder_id=${folder.folder_id}`)
      expect(json.total_count).toBe(0)
    }
    const [removed, cleared, lessened] = [await fill(), await fill(), await fill()]
    const [one, two, three] = [await links(removed), await links(cleared), await links(lessened)]
    await ask(manager, 'DELETE', `folders/${removed.folder_id}`)
    await gone(removed, one)
    await ask(manager, 'DELETE', `folders/${cleared.folder_id}/pi`)
    await gone(cleared, two)
    expect(await refusal(report(cleared))).toEqual([400, 221, undefined])
    await ask(manager, 'DELETE', `media/${lessened.media[0].media_id}`)
    await gone(lessened, three)
    const empty = await report(lessened)
    expect(empty.status).toBe(201)
    expect(await pdfText(empty.json.report_url)).toContain('The folder has no media.')
  })

  it('an operator’s decision is in the trail, with author and time', async () => {
    const folder = await fill()
    const operator = await createUser(admin.token, null, 'OPERATOR')
    const id = folder.analyses[0].analysis_id
    const decision = { resolution_operator: 'DECLINED', resolution_comment: 'A mask, says the branch' }
    expect((await ask(operator, 'PATCH', `analyses/${id}`, decision)).status).toBe(200)
    const { json } = await report(folder, {}, operator)
    expect(json.user_id).toBe(operator.userId)
    const text = await textOf(json.html_url)
    expect(text).toMatch(
      new RegExp(
        `<td>20[-0-9]{8} [:0-9]{8} UTC</td><td>user ${operator.userId}</td><td>Decided analysis 1 \\(Liveness\\) as operator: Declined</td><td>A mask, says the branch</td>`,
      ),
    )
  })

  it('companies make templates of their own, which only they use', async () => {
    const html = '<h1>{{folder.company_name}}</h1>{{#fields}}<p>{{name}}={{value}}</p>{{/fields}}'
    const content = { name: '  Ours ', attachments: false, meta_data_fields: ['a.b', 'c', 'long'], html }
    const made = await ask(manager, 'POST', 'report_templates', content)
    expect([made.status, made.json]).toEqual([
      201,
      {
        template_id: expect.any(String),
        company_id: manager.companyId,
        ...content,
        name: 'Ours',
        is_shipped: false,
        time_created: expect.any(Number),
        time_updated: expect.any(Number),
      },
    ])
    const { template_id } = made.json
    const folder = await fill('{"a": {"b": "<i>&\\""}, "c": "محمد", "long": 12345678901234567890}')
    const { json } = await report(folder, { template_id })
    expect([json.template_name, json.attachments]).toEqual(['Ours', false])
    const text = await textOf(json.html_url)
    expect(text).toContain('<h1>Banca Română</h1><p>a.b=&lt;i&gt;&amp;&quot;</p><p>c=\u2068محمد\u2069</p>')
    expect(text).toContain('<p>long=12345678901234567890</p>')
    expect(text).toContain(`http-equiv="Content-Security-Policy" content="default-src 'none'`)
    const chosen = await report(folder, { template_id, meta_data_fields: ['c'] })
    expect(await textOf(chosen.json.html_url)).not.toContain('a.b=')

    expect((await ask(client, 'GET', `report_templates/${template_id}`)).json).toEqual(made.json)
    expect((await ask(stranger, 'GET', `report_templates/${template_id}`)).status).toBe(404)
    const elsewhere = await ask(stranger, 'POST', 'folders')
    expect(await refusal(report(elsewhere.json, { template_id }, stranger))).toEqual([400, 4, 'template_id'])

    const changed = await ask(manager, 'PATCH', `report_templates/${template_id}`, {
      name: 'New',
      html: null,
    })
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { name: 'New', html: null, attachments: false },
    ])
    const list = await ask(manager, 'GET', 'report_templates/')
    expect(list.json.total_count).toBe(3)
    expect(list.json.items.map(({ name }: { name: string }) => name)).toEqual([
      'Report with pictures',
      'Report without pictures',
      'New',
    ])
    expect(list.json.items[2].html).toBeUndefined()
    const page = await ask(manager, 'GET', 'report_templates?offset=1&limit=1')
    expect([page.json.items.length, page.json.items[0].is_shipped]).toEqual([1, true])
    const own = await ask(admin, 'GET', `report_templates?company_id=${manager.companyId}`)
    expect(own.json.items.map(({ name }: { name: string }) => name)).toEqual(['New'])

    expect((await ask(client, 'DELETE', `report_templates/${template_id}`)).status).toBe(403)
    expect((await ask(manager, 'DELETE', `report_templates/${template_id}`)).status).toBe(204)
    expect(await refusal(report(folder, { template_id }))).toEqual([400, 4, 'template_id'])
    expect((await download(json.report_url)).status).toBe(200)
  })

  it('the templates of the service can be read as an example, and not changed', async () => {
    const { json } = await ask(client, 'GET', 'report_templates')
    for (const { template_id, company_id, is_shipped } of json.items) {
      expect([company_id, is_shipped]).toEqual([null, true])
      const one = `report_templates/${template_id}`
      const { html } = (await ask(client, 'GET', one)).json
      expect(html).toContain('{{folder.id}}')
      expect((await ask(manager, 'POST', 'report_templates', { name: 'Copy', html })).status).toBe(201)
      expect(await refusal(ask(manager, 'PATCH', one, { name: 'Mine' }))).toEqual([400, 221, undefined])
      expect(await refusal(ask(admin, 'DELETE', one))).toEqual([400, 221, undefined])
      expect((await ask(client, 'DELETE', one)).status).toBe(403)
    }
    const plain = await report(await fill(), { template_id: json.items[1].template_id })
    expect(await textOf(plain.json.html_url)).not.toContain('<img')
  })

  it('wrong templates and requests are refused with what is wrong', async () => {
    const make = (body: unknown, who = manager) => refusal(ask(who, 'POST', 'report_templates', body))
    expect(await make({})).toEqual([400, 3, 'name'])
    expect(await make({ name: '' })).toEqual([400, 4, 'name'])
    expect(await make({ name: 7 })).toEqual([400, 5, 'name'])
    expect(await make({ name: 'a', attachments: 'yes' })).toEqual([400, 5, 'attachments'])
    expect(await make({ name: 'a', meta_data_fields: 'iin' })).toEqual([400, 5, 'meta_data_fields'])
    expect(await make({ name: 'a', meta_data_fields: [''] })).toEqual([400, 4, 'meta_data_fields.0'])
    expect(await make({ name: 'a', meta_data_fields: Array(51).fill('a') })).toEqual([
      400,
      4,
      'meta_data_fields',
    ])
    expect(await make({ name: 'a', metadata_fields: [] })).toEqual([400, 4, 'metadata_fields'])
    expect(await make({ name: 'a', html: '<script></script>' })).toEqual([400, 4, 'html'])
    expect(await make({ name: 'a', html: '{{folder.idd}}' })).toEqual([400, 4, 'html'])
    expect(await make({ name: 'a', html: 'a'.repeat(256 * 1024 + 1) })).toEqual([400, 4, 'html'])
    expect((await make({ name: 'a', html: 'a'.repeat(2 ** 20) }))[1]).toBe(14)
    expect(await make([])).toEqual([400, expect.any(Number), undefined])
    expect((await make({ name: 'a', company_id: stranger.companyId }))[0]).toBe(403)
    const none = '00000000-0000-4000-8000-000000000000'
    expect(await make({ name: 'a', company_id: none }, admin)).toEqual([400, 4, 'company_id'])
    const { json } = await ask(manager, 'POST', 'report_templates', {
      name: 'a',
      html: '<p>\n{{folder.idd}}',
    })
    expect(json.error_message).toBe(
      'html, line 2: Unknown placeholder {{folder.idd}}; did you mean {{folder.id}}?',
    )
    const made = await ask(manager, 'POST', 'report_templates', { name: 'a' })
    const one = `report_templates/${made.json.template_id}`
    expect(await refusal(ask(manager, 'PATCH', one, { html: '{{' }))).toEqual([400, 4, 'html'])
    expect(await refusal(ask(manager, 'PATCH', one, { company_id: none }))).toEqual([400, 4, 'company_id'])
    expect((await ask(manager, 'PATCH', one, { name: null })).json.name).toBe('a')

    const folder = await fill()
    expect(await refusal(report(folder, { template_id: 'a' }))).toEqual([400, 4, 'template_id'])
    expect(await refusal(report(folder, { template_id: none }))).toEqual([400, 4, 'template_id'])
    expect(await refusal(report(folder, { templat_id: none }))).toEqual([400, 4, 'templat_id'])
    expect(await refusal(report(folder, { meta_data_fields: [7] }))).toEqual([400, 5, 'meta_data_fields.0'])
    expect((await ask(manager, 'GET', `folders/${folder.folder_id}/reports`)).json.items).toEqual([])
  })

  it('a template that gets too long makes no report', async () => {
    const html = '{{#decisions}}'.repeat(6) + '{{/decisions}}'.repeat(6)
    const analyses = Array.from({ length: 10 }, () => ({
      type: 'quality',
      params: { extract_best_shot: false },
    }))
    const { json: folder } = await upload(
      client.token,
      '/api/folders',
      form([file('a', photo)], { analyses }),
    )
    const { json } = await ask(manager, 'POST', 'report_templates', { name: 'Bomb', html })
    expect(await refusal(report(folder, { template_id: json.template_id }))).toEqual([400, 221, undefined])
  })

  it('several reports at once are all made', async () => {
    const folder = await fill()
    const made = await Promise.all(Array.from({ length: 5 }, () => report(folder)))
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  })
})
