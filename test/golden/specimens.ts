/**
 * What the specimens of the test data say, read off the pictures and from published fields: `documents/azure_DriverLicense.fields.json`.
 * All are specimens, or of made-up people.
 */
import type { FieldName } from '../../src/documents/fields.ts'
import type { DocumentKind } from '../../src/documents/mrz/parse-zone.ts'

type Values = Readonly<Partial<Record<FieldName, string | null>>>

export interface Specimen {
  readonly file: string
  /** What the server answers on `specimensToday`: a decision, or the code of the failure. */
  readonly answer: 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED' | number
  readonly kind: DocumentKind | null
  readonly state: string | null
  /** The zone as printed; empty without one. */
  readonly lines: readonly string[]
  /** The values of the zone. */
  readonly mrz: Values
  /** What is printed, in the form of answers. */
  readonly visual: Values
  /** What is known to be answered otherwise, and why. `null`: nothing is answered. */
  readonly otherwise?: readonly {
    readonly reason: string
    readonly lines?: readonly string[]
    readonly state?: null
    readonly mrz?: Values
    readonly visual?: Values
  }[]
}

/** Answers depend on it: documents expire. */
export const specimensToday = '2026-11-23'

const eriksson = {
  surname: 'ERIKSSON',
  given_names: 'ANNA MARIA',
  nationality: 'UTO',
  birth_date: '1974-08-12',
  sex: 'F',
  expiry_date: '2012-04-15',
} as const satisfies Values

/** The passport of ICAO Doc 9303-4, in several prints. */
const passport = {
  answer: 'DECLINED',
  kind: 'passport',
  state: 'UTO',
  lines: ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'],
  mrz: {
    ...eriksson,
    document_code: 'P',
    issuing_state: 'UTO',
    document_number: 'L898902C3',
    personal_number: 'ZE184226B',
  },
  visual: {
    ...eriksson,
    issuing_state: 'UTO',
    document_number: 'L898902C3',
    personal_number: 'ZE184226B',
    birth_place: 'ZENITH',
    issue_date: '2007-04-16',
    authority: 'PASSPORT OFFICE',
  },
} as const satisfies Omit<Specimen, 'file'>

/** The card of ICAO Doc 9303-6. */
const card = {
  answer: 'DECLINED',
  kind: 'id_card',
  state: 'UTO',
  lines: ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'],
  mrz: { ...eriksson, document_code: 'I', issuing_state: 'UTO', document_number: 'D23145890' },
  visual: { ...eriksson, document_number: 'D23145890' },
} as const satisfies Omit<Specimen, 'file'>

const noState = 'no code of ISO 3166-1 or ICAO Doc 9303-3'
const tooSmall = 'the letters of the printed text are 5 pixels high; 8 are needed'

const mustermann = {
  surname: 'MUSTERMANN',
  given_names: 'ERIKA',
  nationality: 'D',
  birth_date: '1964-08-12',
} as const satisfies Values

export const specimens: readonly Specimen[] = [
  { file: 'passporteye_100_pass-uto.jpg', ...passport },
  { file: 'passporteye_tests_passport-td3.png', ...passport },
  { file: 'yushulx_1.png', ...passport },
  {
    file: 'passporteye_25_pass-uto.jpg',
    ...passport,
    otherwise: [
      {
        reason: tooSmall,
        visual: {
          ...{ surname: null, nationality: null, birth_date: null, sex: null, issuing_state: null },
          ...{ document_number: null, personal_number: null, birth_place: null, issue_date: null },
          authority: null,
        },
      },
    ],
  },
  { file: 'passporteye_100_pass2-uto.jpg', ...card },
  { file: 'passporteye_tests_passport-td2.png', ...card },
  {
    file: 'passporteye_100_pass-bdr.jpg',
    answer: 'DECLINED',
    kind: 'passport',
    state: 'BDR',
    lines: ['P<BDRMUSTERMANN<<ERIKA<<<<<<<<<<<<<<<<<<<<<<', 'CA000000<4D<<6408125F1802212<<<<<<<<<<<<<<<6'],
    mrz: {
      ...mustermann,
      document_code: 'P',
      issuing_state: 'BDR',
      document_number: 'CA000000',
      sex: 'F',
      expiry_date: '2018-02-21',
    },
    visual: {
      ...mustermann,
      issuing_state: 'BDR',
      document_number: 'CA000000',
      sex: 'F',
      birth_place: 'BERLIN',
      issue_date: '2008-02-22',
      expiry_date: '2018-02-21',
      authority: 'BUNDESDRUCKEREI',
    },
    otherwise: [
      { reason: noState, state: null, mrz: { issuing_state: null }, visual: { issuing_state: null } },
    ],
  },
  {
    file: 'passporteye_53_id-d.jpg',
    answer: 'DECLINED',
    kind: 'id_card',
    state: 'D',
    lines: [
      'IDD<<T220001293<<<<<<<<<<<<<<<',
      '6408125<2010315D<<<<<<<<<<<<<4',
      'MUSTERMANN<<ERIKA<<<<<<<<<<<<<',
    ],
    mrz: {
      ...mustermann,
      document_code: 'ID',
      issuing_state: 'D',
      document_number: 'T22000129',
      sex: 'X',
      expiry_date: '2020-10-31',
    },
    visual: {
      address: 'KÖLN HEIDESTR. 17',
      height: '160 CM',
      issue_date: '2010-11-01',
      authority: 'STADT KÖLN',
    },
    otherwise: [
      { reason: tooSmall, visual: { address: null, height: null, issue_date: null, authority: null } },
    ],
  },
  {
    // Its composite check digit is wrong as printed: 1 instead of 0.
    file: 'passporteye_77_card-cmw.png',
    answer: 'DECLINED',
    kind: 'id_card',
    state: 'CMW',
    lines: [
      'IDCMW<512849702<<<<<<<<<<<<<<<',
      '6104128M1402209CMW<<<<<<<<<<<1',
      'PUBLIC<<JON<<<<<<<<<<<<<<<<<<<',
    ],
    mrz: {
      document_code: 'ID',
      issuing_state: 'CMW',
      document_number: '51284970',
      surname: 'PUBLIC',
      given_names: 'JON',
      nationality: 'CMW',
      birth_date: '1961-04-12',
      sex: 'M',
      expiry_date: '2014-02-20',
    },
    visual: {},
    otherwise: [{ reason: noState, state: null, mrz: { issuing_state: null, nationality: null } }],
  },
  {
    file: 'azure_id-passport.png',
    answer: 'DECLINED',
    kind: 'passport',
    state: 'MYS',
    lines: ['P<MYSHAIRUDDIN<<AFIFAH<<<<<<<<<<<<<<<<<<<<<<', 'R000000009MYS7511024F2203104751102076384<<04'],
    mrz: {
      document_code: 'P',
      issuing_state: 'MYS',
      document_number: 'R00000000',
      surname: 'HAIRUDDIN',
      given_names: 'AFIFAH',
      nationality: 'MYS',
      birth_date: '1975-11-02',
      sex: 'F',
      expiry_date: '2022-03-10',
      personal_number: '751102076384',
    },
    visual: {
      issuing_state: 'MYS',
      document_number: 'R00000000',
      full_name: 'AFIFAH HAIRUDDIN',
      nationality: 'MYS',
      birth_date: '1975-11-02',
      sex: 'F',
      birth_place: 'SELANGOR',
      issue_date: '2017-03-11',
      expiry_date: '2022-03-10',
      personal_number: '751102076384',
      authority: 'KUALA LUMPUR',
      height: '160 CM',
    },
    otherwise: [
      {
        reason:
          'not in OCR-B: its I is narrow, and is lost beside other letters. The names are doubtful then',
        lines: [
          'P<MYSHARUDDIN<<AFFAH<<<<<<<<<<<<<<<<<<<<<<<<',
          'R000000009MYS7511024F2203104751102076384<<04',
        ],
        mrz: { surname: null, given_names: null },
      },
      { reason: 'a zero is taken for the letter', visual: { document_number: 'RO0000000' } },
    ],
  },
  {
    // Its last check digits are at wrong places, and it is not in OCR-B: read with doubt. The printed dates cannot be.
    file: 'yushulx_id_card_smith.png',
    answer: 'DECLINED',
    kind: 'passport',
    state: 'USA',
    lines: ['P<USASMITH<<JOHN<DAVID<<<<<<<<<<<<<<<<<<<<<<', 'A123456784USA8503150M3205149<<<<<<<<<<<<<<6<'],
    mrz: {
      document_code: 'P',
      issuing_state: 'USA',
      document_number: 'A12345678',
      surname: 'SMITH',
      given_names: 'JOHN DAVID',
      nationality: 'USA',
      birth_date: '1985-03-15',
      sex: 'M',
      expiry_date: '2032-05-14',
    },
    visual: {
      document_number: 'A12345678',
      surname: 'SMITH',
      given_names: 'JOHN DAVID',
      nationality: 'USA',
      birth_date: '85/03/1915',
      sex: 'M',
      expiry_date: '32/05/2014',
    },
  },
  {
    file: 'azure_DriverLicense.png',
    answer: 'DECLINED',
    kind: 'driver_licence',
    state: 'USA',
    lines: [],
    mrz: {},
    visual: {
      document_number: 'WDLABCD456DG',
      surname: 'TALBOT',
      given_names: 'LIAM R.',
      birth_date: '1958-01-06',
      sex: 'M',
      issue_date: '2015-01-06',
      expiry_date: '2020-08-12',
      address: '123 STREET ADDRESS YOUR CITY WA 99999-1234',
      height: '5\'-08"',
      vehicle_class: 'B',
    },
    otherwise: [
      { reason: 'no label tells the state', state: null },
      { reason: 'only the line of the label is read', visual: { address: '123 STREET ADDRESS' } },
      { reason: 'the next word is joined to it', visual: { vehicle_class: 'B DONOR' } },
    ],
  },
  {
    file: 'azure_id-license.png',
    answer: 'DECLINED',
    kind: 'driver_licence',
    state: null,
    lines: [],
    mrz: {},
    visual: {
      document_number: '034568',
      full_name: 'CHRIS SMITH',
      birth_date: '1988-03-23',
      sex: 'M',
      issue_date: '2019-03-23',
      expiry_date: '2026-03-23',
      address: 'MAIN STREET, CHARLESTON, WV 456789',
      height: '5\'11"',
      vehicle_class: 'A',
    },
    otherwise: [{ reason: 'they have no label', visual: { full_name: null, address: null } }],
  },
  {
    file: 'azure_id-us-green-card.png',
    answer: 'OPERATOR_REQUIRED',
    kind: 'residence_permit',
    state: 'USA',
    lines: [],
    mrz: {},
    visual: {
      surname: 'SMITH',
      given_names: 'CHRIS',
      birth_date: '1988-05-31',
      sex: 'M',
      birth_place: 'BAHAMAS',
      expiry_date: '2028-05-31',
      personal_number: '000123456',
    },
    otherwise: [{ reason: 'no label tells the state', state: null }],
  },
  // No field has a label, so nothing tells a document from any other print.
  {
    file: 'azure_id-us-social-security-card.png',
    ...{ answer: 3010, kind: null, state: null, lines: [], mrz: {}, visual: {} },
  },
  {
    file: 'no_document/passporteye_pacman.png',
    ...{ answer: 3010, kind: null, state: null, lines: [], mrz: {}, visual: {} },
  },
]
