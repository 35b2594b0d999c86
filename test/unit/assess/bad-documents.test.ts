/** Pictures of documents that are hard to read, or hostile, from their bytes to the decision, with the networks of the profile. */
import { describe, expect, it } from 'vitest'
import { type PrintOptions, printZone } from '../../../scripts/pages/printed-zones.ts'
import { decideDocuments } from '../../../src/analyses/documents/decide.ts'
import type { DecidedMedium } from '../../../src/decide/analysis.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { drawDocument, drawHostileDocument, drawPage, hostileZone } from '../../fixtures/document-pictures.ts'
import { cardZone, passportZone } from '../../fixtures/document-readings.ts'
import { turnPicture } from '../../fixtures/drawn-text.ts'
import { makeCard, makePassport } from '../../fixtures/made-up-zones.ts'
import { assessPhoto } from '../../fixtures/networks.ts'

/** The specimens are valid then. */
const today = '2011-06-15'

async function answer(images: RgbaImage | readonly RgbaImage[], page = true) {
  const wanted = { faces: false, template: false, pad: false, bestShot: false, document: { page } }
  const media: DecidedMedium[] = []
  for (const image of [images].flat()) {
    const bytes = await testCodecs.encodeJpeg({ image, quality: 90 })
    media.push({ id: `m${media.length}`, tags: [], assessment: await assessPhoto(bytes, wanted) })
  }
  const parameters = { fieldsToCheck: null, doublePageSpread: true }
  const { outcome, evidence } = decideDocuments(media, parameters, today)
  return {
    lines: media.flatMap(({ assessment: { document } }) => document?.lines?.map(({ text }) => text) ?? []),
    ...{ zone: evidence.document.zone, single: evidence.document.validity.singleDocument },
    fields: Object.fromEntries(evidence.document.fields.map(({ name, ...field }) => [name, field])),
    result: outcome.status === 'finished' ? outcome.decision : outcome.failure.code,
  }
}

const zoneAlone = async (zone: readonly string[], options: PrintOptions) => {
  const { result, zone: lines, fields } = await answer(printZone(zone, options), false)
  return { result, lines, fields }
}

/** What the zone of the passport says. */
const truth = {
  document_code: 'P',
  issuing_state: 'UTO',
  document_number: 'L898902C3',
  surname: 'ERIKSSON',
  given_names: 'ANNA MARIA',
  nationality: 'UTO',
  birth_date: '1974-08-12',
  sex: 'F',
  expiry_date: '2012-04-15',
  personal_number: 'ZE184226B',
}

/** Fields that pass are those of the document. */
function expectNothingWrong(fields: Awaited<ReturnType<typeof answer>>['fields']) {
  for (const [name, { mrz, result }] of Object.entries(fields))
    if (result === 'passed' && mrz !== null)
      expect([name, mrz]).toEqual([name, truth[name as keyof typeof truth]])
}

describe('a picture of a document', () => {
  it.each([
    ['that fills it', 80],
    ['in half of it', 45],
  ])('of 12 megapixels is read %s', async (_, pitch) => {
    const { result, lines } = await zoneAlone(passportZone, { width: 4000, height: 3000, pitch })
    expect({ result, lines }).toEqual({ result: 'SUCCESS', lines: passportZone })
  })

  it('of 200 pixels is read where its characters have 6 of them; with 4 there is doubt', async () => {
    const size = { width: 200, height: 130 }
    const card = await zoneAlone(cardZone, { ...size, pitch: 6.4 })
    expect(card.lines).toEqual(cardZone)
    const passport = await zoneAlone(passportZone, { ...size, pitch: 4.4 })
    expect(passport.result).toBe('OPERATOR_REQUIRED')
    expectNothingWrong(passport.fields)
  })
})

/** One picture above the other. */
function stack(above: RgbaImage, below: RgbaImage): RgbaImage {
  const data = new Uint8ClampedArray(above.data.length + below.data.length)
  data.set(above.data)
  data.set(below.data, above.data.length)
  return { width: above.width, height: above.height + below.height, data }
}

/** One picture beside the other. */
const putBeside = (left: RgbaImage, right: RgbaImage): RgbaImage =>
  turnPicture(stack(turnPicture(left, 1), turnPicture(right, 1)), 3)

describe('two documents in one picture', () => {
  const anna = { SURNAME: 'ERIKSSON', 'GIVEN NAMES': 'ANNA MARIA', 'DATE OF BIRTH': '12.08.1974' }
  const eva = { SURNAME: 'BERGMAN', 'GIVEN NAMES': 'INGRID', 'DATE OF BIRTH': '02.02.1980' }
  const ingrid = { number: 'X9912345', birth: '800202', names: 'BERGMAN<<INGRID' }
  const [evaZone, evaCard] = [makePassport(ingrid), makeCard(ingrid)]
  const [annaPassport, evaPassport] = [drawDocument(anna, passportZone), drawDocument(eva, evaZone)]
  const annaFront = drawPage({ 'IDENTITY CARD': 'UTOPIA', ...anna })

  it.each([
    ['passports, upright', stack(annaPassport, evaPassport)],
    ['passports, one of them upside down', stack(annaPassport, turnPicture(evaPassport, 2))],
    ['passports side by side', putBeside(annaPassport, evaPassport)],
    ['backs of cards side by side', putBeside(drawPage({}, cardZone), drawPage({}, evaCard))],
  ])('are for an operator: %s', async (_, image) => {
    const { result, single, fields, zone } = await answer(image)
    expect([result, single]).toEqual(['OPERATOR_REQUIRED', 'unsure'])
    expect([passportZone, evaZone, cardZone, evaCard]).toContainEqual(zone)
    for (const { visual, mrz, result: status } of Object.values(fields)) {
      expect(status).not.toBe('failed')
      if (visual !== null && mrz !== null) expect(visual.replaceAll(' ', '')).toBe(mrz.replaceAll(' ', ''))
    }
  })

  it('are the sides of one card only if both are of one person', async () => {
    expect(await answer(putBeside(annaFront, drawPage({}, cardZone)))).toMatchObject({
      ...{ result: 'SUCCESS', single: 'passed' },
      fields: { surname: { visual: 'ERIKSSON', mrz: 'ERIKSSON' } },
    })
    expect(await answer(putBeside(annaFront, drawPage({}, evaCard)))).toMatchObject({
      ...{ result: 'OPERATOR_REQUIRED', single: 'unsure' },
      fields: { surname: { result: 'unsure' } },
    })
  })
})

describe('a card with one label for the whole name', () => {
  it.each([
    [
      'of Brazil',
      drawPage({
        'CARTEIRA DE IDENTIDADE': 'BRASIL',
        'NOME / NAME': 'MARIA TESTE LIMA',
        'DATA DE NASCIMENTO / DATE OF BIRTH': '12.08.1974',
        'SEXO / SEX': 'F',
        'DATA DE EXPEDICAO': '02.03.2010',
      }),
      makeCard({ code: 'ID', state: 'BRA', nationality: 'BRA', names: 'LIMA<<MARIA<TESTE' }),
      {
        ...{ full_name: 'MARIA TESTE LIMA', surname: 'LIMA', given_names: 'MARIA TESTE', sex: 'F' },
        ...{ birth_date: '1974-08-12', issue_date: '2010-03-02' },
      },
    ],
    [
      'of Hungary, surname first',
      drawPage({
        'IDENTITY CARD': 'HUN',
        'CSALADI ES UTONEV': 'KISS MARTON',
        'NEM / SEX': 'N/F',
        'SZULETESI IDO / DATE OF BIRTH': '1974.08.12',
        'ERVENYESSEGI IDO / DATE OF EXPIRY': '2032.04.15',
      }),
      makeCard({ state: 'HUN', nationality: 'HUN', names: 'KISS<<MARTON' }),
      {
        ...{ full_name: 'KISS MARTON', surname: 'KISS', given_names: 'MARTON', sex: 'F' },
        ...{ birth_date: '1974-08-12', expiry_date: '2032-04-15' },
      },
    ],
  ])('%s agrees with its zone in the parts of it', async (_, front, zone, printed) => {
    const { result, single, fields } = await answer([front, drawPage({}, zone)])
    const visual = Object.keys(printed).map((name) => [name, fields[name]?.visual])
    expect(Object.fromEntries(visual)).toEqual(printed)
    expect([result, single]).toEqual(['SUCCESS', 'passed'])
  })

  it('of drivers in Brazil tells birth and issue, beside other words of their labels', async () => {
    const page = drawPage({
      'CARTEIRA NACIONAL DE HABILITACAO': 'BRASIL',
      'NOME E SOBRENOME': 'RENATO TESTE LIMA',
      'DATA, LOCAL E UF DE NASCIMENTO': '12.08.1974, RECIFE, PE',
      'DATA EMISSAO': '02.03.2010',
    })
    expect((await answer(page)).fields).toMatchObject({
      full_name: { visual: 'RENATO TESTE LIMA' },
      birth_date: { visual: '1974-08-12' },
      issue_date: { visual: '2010-03-02' },
    })
  })
})

describe('a page that stands on its head', () => {
  const page = { SURNAME: 'ERIKSSON', 'GIVEN NAMES': 'ANNA MARIA', 'DATE OF BIRTH': '12.08.1974' }
  const read = async (image: RgbaImage) => {
    const { result, fields } = await answer(image)
    const visual = (name: string) => fields[name]?.visual?.replaceAll(' ', '')
    return [result, ...['surname', 'given_names', 'birth_date'].map(visual)]
  }

  it.each([
    ['with a zone', passportZone],
    ['without one', []],
  ])('is read as the upright one, %s', async (_, zone) => {
    const upright = drawDocument(page, zone)
    const expected = await read(upright)
    expect(expected.slice(1)).toEqual(['ERIKSSON', 'ANNAMARIA', '1974-08-12'])
    expect(await read(turnPicture(upright, 2))).toEqual(expected)
  })
})

describe('a zone that is cut', () => {
  it('at its end is doubtful: what check digits prove is right, and names are not read', async () => {
    const { result, fields } = await answer(drawDocument({}, passportZone, [0.75, 0.87]))
    expect(result).toBe('OPERATOR_REQUIRED')
    expect(fields).toMatchObject({ surname: { mrz: null }, document_number: { mrz: 'L898902C3' } })
    expectNothingWrong(fields)
  })

  it('at its beginning is doubtful', async () => {
    const { result, fields } = await answer(drawDocument({}, passportZone, [0.25, 0.87]))
    expect(result).toBe('OPERATOR_REQUIRED')
    for (const name of ['issuing_state', 'surname', 'nationality', 'birth_date', 'expiry_date'])
      expect(fields[name]).toMatchObject({ mrz: null, result: 'unsure' })
  })

  it('below its first line cannot be read; an operator decides on printed fields', async () => {
    const at = [0.5, 1] as const
    expect((await answer(drawDocument({}, passportZone, at))).result).toBe(3011)
    const page = { SURNAME: 'ERIKSSON', 'GIVEN NAMES': 'ANNA MARIA', 'DATE OF BIRTH': '12.08.1974' }
    const { result, fields, zone } = await answer(drawDocument(page, passportZone, at))
    expect([result, zone]).toEqual(['OPERATOR_REQUIRED', null])
    expect(fields).toMatchObject({
      surname: { visual: 'ERIKSSON', mrz: null },
      birth_date: { visual: '1974-08-12', mrz: null },
    })
  })
})

describe('a document with text that programs would carry out', () => {
  it('is read as text; what is no name is none', async () => {
    const { fields, lines, result, zone } = await answer(drawHostileDocument())
    expect([result, zone]).toEqual(['SUCCESS', hostileZone])
    expect(fields).toMatchObject({
      surname: { mrz: 'SCRIPT ALERT', visual: null },
      given_names: { mrz: 'DROP TABLE FOLDERS', visual: null },
      // The network takes some drawn letters for others.
      birth_place: { visual: expect.stringMatching(/^< ?IMG.+>$/) },
      authority: { visual: expect.stringMatching(/^<SC.+>.+<\/SC.+>$/) },
    })
    expect(lines.join()).toMatch(/DROP ?TABLE ?FOLDERS/)
  })
})
