/** Documents of public bug reports, drawn with made-up people: `reports/README.md` of the test data has the right answers. */
import { describe, expect, it } from 'vitest'
import { decideDocuments } from '../../src/analyses/documents/decide.ts'
import { assessPhoto } from '../fixtures/networks.ts'
import { hasTestData, testData } from '../fixtures/test-data.ts'

const today = '2026-11-26'
const wanted = { faces: false, template: false, pad: false, bestShot: false, document: { page: true } }

async function answer(...files: readonly string[]) {
  const media = []
  for (const file of files)
    media.push({
      ...{ id: file, tags: ['photo_id'] },
      assessment: await assessPhoto(await testData('reports', file), wanted),
    })
  const parameters = { fieldsToCheck: null, doublePageSpread: true }
  const { outcome, evidence } = decideDocuments(media, parameters, today)
  const { fields, kind, format, validity } = evidence.document
  return {
    ...{ kind, format, validity },
    decision: outcome.status === 'finished' ? outcome.decision : outcome.failure.code,
    byName: Object.fromEntries(fields.map(({ name, ...field }) => [name, field])),
  }
}

describe.skipIf(!hasTestData)('documents of bug reports', () => {
  it('an Italian card for the old never expires', async () => {
    const card = ['italian-id-without-expiry-front.jpg', 'italian-id-without-expiry-back.jpg']
    for (const files of [card, card.toReversed(), card.slice(1)])
      expect(await answer(...files)).toMatchObject({
        ...{ decision: 'SUCCESS', kind: 'id_card', validity: { expiry: 'passed' } },
        byName: { expiry_date: { mrz: '9999-01-01', result: 'passed' } },
      })
    expect(await answer(card[0]!)).toMatchObject({
      ...{ decision: 'OPERATOR_REQUIRED', kind: 'id_card', validity: { expiry: 'passed' } },
      byName: { expiry_date: { visual: '9999-01-01' }, birth_date: { visual: '1948-07-15' } },
    })
  })

  it('a German residence permit has the nationality of Kosovo', async () => {
    expect(await answer('german-residence-permit-kosovo-XXK.jpg')).toMatchObject({
      ...{ decision: 'SUCCESS', kind: 'residence_permit' },
      byName: { nationality: { mrz: 'XXK', result: 'passed' } },
    })
  })

  it('a Mexican card has the parts of its whole name, and its sex in Spanish', async () => {
    expect(await answer('mexican-ine-card.jpg')).toMatchObject({
      ...{ decision: 'SUCCESS', validity: { agreement: 'passed', singleDocument: 'passed' } },
      byName: {
        surname: { visual: 'PEREZ GARCIA', mrz: 'PEREZ GARCIA', result: 'passed' },
        given_names: { visual: 'JUAN CARLOS', mrz: 'JUAN CARLOS', result: 'passed' },
        full_name: { visual: 'PEREZ GARCIA JUAN CARLOS', result: 'passed' },
        sex: { visual: 'M', mrz: 'M', result: 'passed' },
      },
    })
  })

  it('a French driving licence is one, with the state beside its title and a zone of one row', async () => {
    const front = 'french-driving-licence-title-and-state-in-one-line.jpg'
    const back = 'french-driving-licence-one-row-zone.jpg'
    const printed = {
      ...{ surname: { visual: 'MARTIN' }, birth_date: { visual: '1974-08-12' } },
      ...{ document_number: { visual: '20AA12345' }, expiry_date: { visual: '2035-04-15' } },
    }
    expect(await answer(front)).toMatchObject({
      ...{ decision: 'OPERATOR_REQUIRED', kind: 'driver_licence', byName: printed },
    })
    const zone = { document_number: { mrz: '20AA12345' }, surname: { mrz: 'MARTIN' } }
    expect(await answer(back)).toMatchObject({ decision: 'SUCCESS', format: 'FRA-DL', byName: zone })
    expect(await answer(front, back)).toMatchObject({
      ...{ decision: 'SUCCESS', kind: 'driver_licence', byName: printed },
      validity: { agreement: 'passed', singleDocument: 'passed' },
    })
  })

  it('an internal passport of Russia has the names of its zone', async () => {
    expect(await answer('russian-internal-passport-zone.jpg')).toMatchObject({
      ...{ decision: 'OPERATOR_REQUIRED', format: 'RUS-PN', validity: { checkDigits: 'passed' } },
      byName: { surname: { mrz: 'ЗДРИЛЮК' }, given_names: { mrz: 'СЕРГЕЙ АНАТОЛЬЕВИЧ' } },
    })
  })

  it('a passport that stands on its head is read', async () => {
    expect(await answer('passport-upside-down-p0190.jpg')).toMatchObject({
      ...{ decision: 'SUCCESS', validity: { agreement: 'passed' } },
      byName: { surname: { visual: 'ERIKSSON', mrz: 'ERIKSSON' }, sex: { visual: 'F', mrz: 'F' } },
    })
  })
})
