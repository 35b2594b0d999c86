import { describe, expect, it } from 'vitest'
import type { TextLineReading } from '../../../../src/documents/reading.ts'
import { kindTitles } from '../../../../src/documents/visual/kind-titles.ts'
import { readVisualFields, type VisualZone } from '../../../../src/documents/visual/read-fields.ts'

/** A line whose characters are half as wide as high. */
function line(text: string, x: number, y: number, height = 16): TextLineReading {
  const right = x + text.length * height * 0.5
  const place = [
    { x, y },
    { x: right, y },
    { x: right, y: y + height },
    { x, y: y + height },
  ] as const
  return { text, confidence: 0.98, place }
}

/** The same lines on a page that is turned clockwise. */
function turned(lines: readonly TextLineReading[], degrees: number): TextLineReading[] {
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const turn = ({ x, y }: { x: number; y: number }) => ({
    x: x * cosine - y * sine,
    y: x * sine + y * cosine,
  })
  return lines.map(({ place: [a, b, c, d], ...rest }) => ({
    ...rest,
    place: [turn(a), turn(b), turn(c), turn(d)] as const,
  }))
}

const valuesOf = ({ fields }: VisualZone) =>
  Object.fromEntries(Object.values(fields).map(({ name, value }) => [name, value]))

const passport = [
  line('UTOPIA', 270, 10, 28),
  line('Passport/', 110, 46),
  line('Type/ Type', 270, 56),
  line('Country code/ Code du pays', 380, 56),
  line('Passport Number/ N°de passeport', 600, 56),
  line('P', 280, 76),
  line('UTO', 400, 76),
  line('L898902C3', 602, 76),
  line('Surname/ Nom', 270, 98),
  line('ERIKSSON', 280, 116),
  line('Given names/Prenoms', 270, 136),
  line('ANNA MARIA', 280, 156),
  line('Nationality/ Nationalite', 270, 176),
  line('UTOPIAN', 280, 194),
  line('Date of Birth/ Date de naissance', 270, 212),
  line('Personal No./ N°personnel', 560, 208),
  line('12AUGUST/AOUT74', 280, 231),
  line('ZE184226B', 572, 229),
  line('Sex/Sexe', 270, 250),
  line('Place of birth/ Lieu denaissance', 430, 251),
  line('F', 282, 268),
  line('ZENITH', 446, 268),
  line('Date of issue/Date de delivrance', 270, 286),
  line('Authority/ Autorite', 560, 286),
  line('16APR/AVR07', 280, 306),
  line('PASSPORTOFFICE', 570, 306),
  line("Date of expiry/Date d'expiration", 270, 326),
  line("Holder's signature/Signature du titulaire", 560, 328),
  line('15APR/AVR12', 280, 344),
  line('annaMariaErikssan', 580, 346),
  line('P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 55, 388),
  line('L898902C36UT07408122F1204159ZE184226B<<<<<10', 55, 422),
]

describe('fields of a printed page', () => {
  it('reads labels in two languages, with values below them', () => {
    const zone = readVisualFields(passport, {}, { today: '2026-11-23' })
    expect(zone.kind).toBe('passport')
    expect(valuesOf(zone)).toEqual({
      issuing_state: 'UTO',
      document_number: 'L898902C3',
      surname: 'ERIKSSON',
      given_names: 'ANNA MARIA',
      nationality: 'UTO',
      birth_date: '1974-08-12',
      personal_number: 'ZE184226B',
      sex: 'F',
      birth_place: 'ZENITH',
      issue_date: '2007-04-16',
      authority: 'PASSPORTOFFICE',
      expiry_date: '2012-04-15',
    })
  })

  it('reads a turned page', () => {
    const upright = valuesOf(readVisualFields(passport, {}, { today: '2026-11-23' }))
    for (const degrees of [3, 90, 180, 270])
      expect(valuesOf(readVisualFields(turned(passport, degrees), {}, { today: '2026-11-23' }))).toEqual(
        upright,
      )
  })

  it('reads values behind their labels, without spaces, and numbered lines of a licence of the USA', () => {
    const zone = readVisualFields([
      line('WAWASHINGTON', 10, 16, 30),
      line('DRIVERLICENSE', 277, 28),
      line('FEDERALLIMITSAPPLY', 260, 50),
      line('4dLIC#WDLABCD456DG 9CLASSBDONOR', 149, 67),
      line('1TALBOT', 150, 84),
      line('2LIAMR.', 150, 101),
      line('3DOB01/06/1958', 150, 132),
      line('4aISs01/06/2015', 315, 132),
      line('8123STREETADDRESS', 152, 151),
      line('15SEXM', 184, 189),
      line('18EYESBLU', 294, 189),
      line('16HGT5\'-08"', 185, 202),
      line('4bEXP08/12/2020', 293, 228),
    ])
    expect(zone.kind).toBe('driver_licence')
    expect(valuesOf(zone)).toMatchObject({
      document_number: 'WDLABCD456DG',
      surname: 'TALBOT',
      given_names: 'LIAMR.',
      birth_date: '1958-01-06',
      issue_date: '2015-01-06',
      expiry_date: '2020-08-12',
      address: '123STREETADDRESS',
      sex: 'M',
    })
  })

  it('reads the numbered lines of a European driving licence', () => {
    const zone = readVisualFields([
      line('DRIVING LICENCE', 200, 10),
      line('1. MORGAN', 200, 40),
      line('2. SARAH MEREDYTH', 200, 60),
      line('3. 11.03.1976 UNITED KINGDOM', 200, 80),
      line('4a. 19.01.2013 4c. DVLA', 200, 100),
      line('4b. 18.01.2023', 200, 120),
      line('5. MORGA753116SM9IJ 35', 200, 140),
    ])
    expect(valuesOf(zone)).toMatchObject({
      surname: 'MORGAN',
      given_names: 'SARAH MEREDYTH',
      birth_date: '1976-03-11',
      issue_date: '2013-01-19',
      expiry_date: '2023-01-18',
      authority: 'DVLA',
      document_number: 'MORGA753116SM9IJ35',
    })
  })

  const licence = [
    line('1.MARTIN', 300, 64),
    line('2.JEAN PAUL', 300, 90),
    line('3.12.08.1974PARIS', 300, 116),
    line('4a.15.04.20204b.15.04.2035', 300, 142),
    line('4c.PREFECTURE', 300, 168),
    line('5.20AA12345', 300, 194),
  ]
  const licenceValues = {
    ...{ surname: 'MARTIN', given_names: 'JEAN PAUL', birth_date: '1974-08-12', issue_date: '2020-04-15' },
    ...{ expiry_date: '2035-04-15', authority: 'PREFECTURE', document_number: '20AA12345' },
  }

  it('knows a driving licence by its numbered lines alone', () => {
    for (const title of ['', 'AAEIA OAHrHEHE', 'BOANTEJbCKOE YAOCTOBEPEHNE']) {
      const zone = readVisualFields([line(title, 10, 10), ...licence])
      expect(zone).toMatchObject({ kind: 'driver_licence', isNamed: false })
      expect(valuesOf(zone)).toEqual(licenceValues)
    }
    const list = ['1. Books', '2. Maps', '3. Letters since 12.08.1974', '4. Plans', '5. 20AA12345']
    expect(readVisualFields(list.map((text, row) => line(text, 10, 10 + 30 * row)))).toMatchObject({
      ...{ kind: null, fields: {} },
    })
  })

  it.each([
    ...['PERMISO DE CONDUCCION REINO DE ESPANA', 'RIDICSKY PrUKAZ CESKA REPUBLIKA', 'KOREKORT DANMARK'],
    ...['FUHRERSCHEIN BUNDESREPUBLIK DEUTSCHLAND', 'JUHILUBA EESTI VABARIIK', 'DRIVING LICENCE IRELAND'],
    ...[
      'CEADUNAS TIOMANA EIRE',
      'VOZACKA DOZVOLA REPUBLIKA HRVATSKA',
      'PATENTE DI GUIDA REPUBBLICA ITALIANA',
    ],
    ...['VADiTAJA APLIECIBA LATVIJAS REPUBLIKA', 'VAIRUOTOJO PAZYMEJIMAS LIETUVOS RESPUBLIKA'],
    ...['VEZETOI ENGEDELY MAGYARORSZAG', "LICENZJA TAS-SEWQAN REPUBBLIKA TA' MALTA"],
    ...['RIJBEWIJS KONINKRIJK DER NEDERLANDEN', 'PRAWO JAZDY RZECZPOSPOLITA POLSKA'],
    ...['CARTA DE CONDUCAO REPUBLICA PORTUGUESA', 'PERMIS DE CONDUCERE ROMANIA'],
    ...['VODICSKY PREUKAZ SLOVENSKA REPUBLIKA', 'VOZNISKO DOVOLJENJE REPUBLIKA SLOVENIJA'],
    ...['AJOKORTTI SUOMI', 'KORKORT SVERIGE', 'PERMIS DE CONDUIRE REPUBLIQUE FRANCAISE', 'FORERKORT NORGE'],
    ...['OKUSKiRTEINI iSLAND', 'FUHRERAUSWEIS SCHWEIZ', 'CARTEIRA NACIONAL DE HABILITACAO BRASIL'],
    ...['LICENCIA DE CONDUCIR ARGENTINA', 'SURUCU BELGESi TURKiYE CUMHURiYETi', 'LESEN MEMANDU MALAYSIA'],
    ...['SURAT IZIN MENGEMUDI INDONESIA', 'INDIAN UNION DRIVING LICENCE', 'DRIVlNG LICENCE', 'AJ0KORTTI'],
    ...['PERMISDECONDUIREREPUBLIQUEFRANCAISE', 'GIAY PHEP LAI XE', '日本国運転免許証', '駕駛執照'],
  ])('knows a driving licence by the title %s', (title) => {
    const zone = readVisualFields([line(title, 10, 10), line('1.MARTIN', 300, 64)])
    expect(zone).toMatchObject({ kind: 'driver_licence', isNamed: true })
    expect(zone.fields.surname?.value).toBe('MARTIN')
  })

  it('reads no numbered line twice', () => {
    const lines = [line('DRIVING LICENCE', 200, 10), line('4a. 19.01.2013', 200, 100)]
    const zone = readVisualFields(lines, { expiry_date: '2013-01-19' })
    expect(valuesOf(zone)).toEqual({ issue_date: '2013-01-19' })
  })

  it('reads no date of issue where the validity begins', () => {
    const lines = [
      ...[line('Valid from', 10, 10), line('01.03.2027', 12, 28)],
      ...[line('Valid until', 300, 10), line('31.05.2027', 302, 28)],
    ]
    expect(valuesOf(readVisualFields(lines))).toEqual({ expiry_date: '2027-05-31' })
  })

  it('is named by words that mean nothing else', () => {
    const kindOf = (...texts: string[]) => {
      const { kind, isNamed } = readVisualFields(texts.map((text, row) => line(text, 10, 10 + 30 * row)))
      return { kind, isNamed }
    }
    for (const text of ['VISA', 'Paid with Visa'])
      expect(kindOf(text)).toEqual({ kind: 'visa', isNamed: false })
    expect(kindOf('BOARDING PASS')).toEqual({ kind: 'passport', isNamed: false })
    expect(kindOf('VISA', 'PASSPORT')).toEqual({ kind: 'visa', isNamed: true })
    expect(kindOf('REISEPASS')).toEqual({ kind: 'passport', isNamed: true })
    expect(kindOf('INVOICE')).toEqual({ kind: null, isNamed: false })
  })

  /** Titles that mean other things too: they tell a kind, but name no document. */
  const ambiguous = ['Pas', 'Pasas', 'Pase', 'Pass', 'Passi', 'Visa', 'Visto', 'Visum', 'Wiza', 'Виза']
  const titles = Object.entries(kindTitles).flatMap(([kind, texts]) =>
    texts.split(';').map((title) => ({ title: title.trim(), kind })),
  )

  it.each(titles)('is named by the title $title alone: $kind', ({ title, kind }) => {
    expect(readVisualFields([line(title, 10, 10)])).toMatchObject({
      kind,
      isNamed: !ambiguous.includes(title),
    })
  })

  it('leaves an ambiguous date open, unless the machine-readable zone settles it', () => {
    const lines = [line('Date of birth', 10, 10), line('03/04/1990', 12, 30)]
    const open = readVisualFields(lines).fields.birth_date
    expect(open?.value).toBeNull()
    expect([...(open?.alternatives ?? [])].sort()).toEqual(['1990-03-04', '1990-04-03'])
    expect(readVisualFields(lines, { birth_date: '1990-03-04' }).fields.birth_date?.value).toBe('1990-03-04')
    expect(readVisualFields(lines, { birth_date: '1991-01-01' }).fields.birth_date?.value).toBeNull()
  })

  it('never replaces a labelled value by the one that the zone expects', () => {
    const lines = [
      line('Surname', 10, 10),
      line('SMITH', 12, 30),
      line('JONES', 400, 300),
      line('Date of birth', 10, 60),
      line('03.04.1990', 12, 80),
    ]
    const { fields } = readVisualFields(lines, { surname: 'JONES', birth_date: '1990-03-04' })
    expect(fields.surname?.value).toBe('SMITH')
    expect(fields.birth_date?.value).toBe('1990-04-03')
  })

  it('finds values without labels by the machine-readable zone', () => {
    const lines = [line('MÜLLER', 10, 10), line('C01X00T47', 10, 40), line('12.08.1983', 10, 70)]
    const { fields } = readVisualFields(lines, {
      surname: 'MUELLER',
      document_number: 'C01X00T47',
      birth_date: '1983-08-12',
      expiry_date: '2027-01-01',
    })
    expect(Object.keys(fields).sort()).toEqual(['birth_date', 'document_number', 'surname'])
  })

  it('reads German, Spanish and Russian labels', () => {
    const german = readVisualFields([
      line('Name/Surname/Nom', 10, 10),
      line('MUSTERMANN', 12, 28),
      line('Vornamen/Given names/Prenoms', 10, 50),
      line('ERIKA', 12, 68),
      line('Staatsangehorigkeit', 10, 90),
      line('DEUTSCH', 12, 108),
      line('Gultig bis/Date of expiry', 300, 90),
      line('31.10.2027', 302, 108),
      line('PERSONALAUSWEIS', 10, 200),
    ])
    expect(german.kind).toBe('id_card')
    expect(valuesOf(german)).toEqual({
      surname: 'MUSTERMANN',
      given_names: 'ERIKA',
      nationality: 'D',
      expiry_date: '2027-10-31',
    })
    const spanish = readVisualFields([
      line('APELLIDOS', 10, 10),
      line('ESPAÑOLA', 12, 28),
      line('SEXO', 10, 50),
      line('F', 12, 68),
      line('FECHA DE NACIMIENTO', 100, 50),
      line('01 01 1980', 102, 68),
    ])
    expect(valuesOf(spanish)).toEqual({ surname: 'ESPAÑOLA', sex: 'F', birth_date: '1980-01-01' })
    const russian = readVisualFields([
      line('Фамилия / Surname', 10, 10),
      line('СМИРНОВ', 12, 28),
      line('Пол', 10, 50),
      line('М/M', 60, 50),
    ])
    expect(valuesOf(russian)).toEqual({ surname: 'СМИРНОВ', sex: 'M' })
  })

  it.each([
    ['NOMBRE'],
    ['Nome / Name'],
    ['Family name and Given name'],
    ['SurnameandGivennames'],
    ['Családi és utónév / Family name and Given name'],
    ['Apellidos y nombres'],
    ['Name, Vorname'],
    ['Surname/Given names'],
    ['Nom et prénom(s)'],
    ['NAZWISKO I IMIONA'],
  ])('reads the whole name beside %s, and its parts where the zone has them', (label) => {
    const lines = [line(label, 10, 10), line('PEREZ GARCIA JUAN CARLOS', 10, 28)]
    expect(valuesOf(readVisualFields(lines))).toEqual({ full_name: 'PEREZ GARCIA JUAN CARLOS' })
    const known = { surname: 'PEREZ GARCIA', given_names: 'JUAN CARLOS' }
    expect(valuesOf(readVisualFields(lines, known))).toEqual({
      ...{ full_name: 'PEREZ GARCIA JUAN CARLOS', surname: 'PEREZ GARCIA', given_names: 'JUAN CARLOS' },
    })
    const other = { ...known, given_names: 'PEDRO' }
    expect(valuesOf(readVisualFields(lines, other))).toEqual({ full_name: 'PEREZ GARCIA JUAN CARLOS' })
  })

  it('reads a part of the name beside such a word where another label has the other part', () => {
    const partsOf = (...labels: string[]) =>
      valuesOf(
        readVisualFields(
          labels.flatMap((label, i) => [
            line(label, 10, 10 + 60 * i),
            line(i === 0 ? 'FIRST' : 'SECOND', 10, 28 + 60 * i),
          ]),
        ),
      )
    for (const [surname, given] of [
      ['COGNOME/SURNAME', 'NOME/NAME'],
      ['APELLIDOS / COGNOMS', 'NOMBRE / NOM'],
      ['Prezime/Surname', 'Ime/Name'],
      ['Surname/Van', 'Names/Name'],
      ['Name/Surname/Nom', 'Vornamen/Given names/Prénoms'],
      ['Naam / Name', 'Voornamen / Given names'],
      ['Name/Nom/Cognome/Surname', 'Vorname(n)/Prénom(s)/Nome(i)/Given name(s)'],
    ] as const)
      expect(partsOf(surname, given)).toEqual({ surname: 'FIRST', given_names: 'SECOND' })
    // The label of the given names was not read.
    expect(partsOf('Surname/ Nom')).toEqual({ surname: 'FIRST' })
    expect(valuesOf(readVisualFields([line('Nombre del padre', 10, 10), line('PEDRO', 10, 28)]))).toEqual({})
  })

  it('reads a whole name in several lines, up to the next label', () => {
    const card = (...names: string[]) => [
      line('NOMBRE', 100, 10, 10),
      ...names.map((name, row) => line(name, 100, 22 + 15 * row, 12)),
      line('DOMICILIO', 100, 24 + 15 * names.length, 10),
      line('CUAUHTEMOC', 100, 36 + 15 * names.length, 12),
    ]
    const known = { surname: 'PEREZ GARCIA', given_names: 'JUAN CARLOS' }
    const read = (...names: string[]) => readVisualFields(card(...names), known).fields
    const whole = read('PEREZ', 'GARCIA', 'JUAN CARLOS')
    expect(valuesOf({ ...readVisualFields([]), fields: whole })).toEqual({
      ...{ full_name: 'PEREZ GARCIA JUAN CARLOS', surname: 'PEREZ GARCIA', given_names: 'JUAN CARLOS' },
      address: 'CUAUHTEMOC',
    })
    // What follows the name may be another thing: this contradicts nothing, and is no agreement either.
    expect(read('PEREZ GARCIA', 'PEDRO').full_name).toMatchObject({
      value: 'PEREZ GARCIA PEDRO',
      confidence: 0.85,
    })
    expect(read('LOPEZ', 'RUIZ', 'PEDRO').full_name).toMatchObject({
      ...{ value: 'LOPEZ RUIZ PEDRO', confidence: 0.98 },
    })
  })

  it.each([
    ['H', 'M'],
    ['HOMBRE', 'M'],
    ['MUJER', 'F'],
    ['M', 'M'],
    ['NB', 'X'],
    ['МУЖСКОЙ', 'M'],
    ['N/F', 'F'],
  ])('reads the sex %s', (text, value) => {
    expect(valuesOf(readVisualFields([line('Sex', 10, 10), line(text, 10, 28)]))).toEqual({ sex: value })
  })

  it('reads the date beside a label of place and date, without spaces', () => {
    const zone = readVisualFields([
      line('LUOGO EDATADINASCITA/PLACEANDDATE OF BIRTH', 10, 10),
      line('ROMA(RM)15.07.1948', 10, 28),
      line('EMISSIONE/ISSUING', 10, 60),
      line('03.08.2026', 10, 78),
    ])
    expect(valuesOf(zone)).toEqual({ birth_date: '1948-07-15', issue_date: '2026-08-03' })
  })

  it('reads no Cyrillic print that was taken for Latin letters, but the name beside it', () => {
    const known = { issuing_state: 'RUS', surname: 'SMIRNOV', given_names: 'IURII' }
    const below = readVisualFields(
      [
        line('Surname', 10, 10),
        line('CMNPHOB', 12, 28),
        line('SMIRNOV', 12, 46),
        line('Given names', 10, 70),
        line('IOPNN', 12, 88),
        line('Place of birth', 10, 130),
        line('MOCKBA', 12, 148),
      ],
      known,
    )
    expect(valuesOf(below)).toEqual({ surname: 'SMIRNOV' })
    const beside = readVisualFields([line('Surname', 10, 10), line('CMNPHOB/SMIRNOV', 12, 28)], known)
    expect(valuesOf(beside)).toEqual({ surname: 'SMIRNOV' })
    // A name in Latin letters that differs is none of Cyrillic ones.
    const forged = readVisualFields([line('Surname', 10, 10), line('PETROV', 12, 28)], known)
    expect(valuesOf(forged)).toEqual({ surname: 'PETROV' })
    for (const [text, name] of [
      ['TAMILA', 'TAMARA'],
      ['MARIKA', 'MARINA'],
      ['MATKA', 'MATKO'],
      ['MATKO', 'MATKA'],
    ] as const)
      expect(
        valuesOf(
          readVisualFields([line('Given names', 10, 10), line(text, 12, 28)], {
            ...known,
            given_names: name,
          }),
        ),
      ).toEqual({ given_names: text })
    const latin = readVisualFields([line('Surname', 10, 10), line('CMNPHOB', 12, 28)], {
      ...known,
      issuing_state: 'D',
    })
    expect(valuesOf(latin)).toEqual({ surname: 'CMNPHOB' })
  })

  it('reads labels with unknown languages in front, with wrong letters, and values far to the right', () => {
    const malaysian = readVisualFields([
      line('Pasport/Passport', 10, 10),
      line('Nama/Name', 10, 40),
      line('AFIFAH HAIRUDDIN', 10, 60),
      line('Warganegara/Nationality', 10, 80),
      line('MALAYSIA', 10, 100),
      line('Jantina/Sex', 10, 120),
      line('P-F', 10, 140),
      line('Tarikh Dikeluarkan/Date of Issue', 200, 120),
      line('11MAR2017', 200, 140),
    ])
    expect(valuesOf(malaysian)).toEqual({
      full_name: 'AFIFAH HAIRUDDIN',
      nationality: 'MYS',
      sex: 'F',
      issue_date: '2017-03-11',
    })
    const official = readVisualFields([
      line('Primary identifier/', 10, 10),
      line('Secondary identifier/', 300, 10),
      line('Identifiant primaire', 10, 28),
      line('Identlfiant secondaire', 300, 28),
      line('ERIKSSON', 10, 46),
      line('ANNA MARIA', 300, 46),
    ])
    expect(valuesOf(official)).toEqual({ surname: 'ERIKSSON', given_names: 'ANNA MARIA' })
    const card = readVisualFields([
      line('Surname:', 38, 10),
      line('SMITH', 218, 10),
      line('Given Name:', 38, 40),
      line('JOHN DAVID', 218, 40),
    ])
    expect(valuesOf(card)).toEqual({ surname: 'SMITH', given_names: 'JOHN DAVID' })
    const german = readVisualFields([
      line('1.Surname/Name/Nom', 10, 10),
      line('MUSTERMANN', 12, 28),
      line('Vornamen', 10, 50),
      line('Nationality/Nationalitat/Nationalite', 10, 90),
      line('D', 12, 108),
    ])
    expect(valuesOf(german)).toEqual({ surname: 'MUSTERMANN', nationality: 'D' })
    // Short labels with a wrong letter are none.
    expect(valuesOf(readVisualFields([line('PargorMo. 1N de anpor', 10, 10)]))).toEqual({})
  })

  it('reads nothing from pages without fields, and treats injected text as text', () => {
    expect(readVisualFields([])).toEqual({ fields: {}, kind: null, isNamed: false, isProse: false })
    expect(
      valuesOf(readVisualFields([line('Hello world', 10, 10), line('<script>alert(1)</script>', 10, 40)])),
    ).toEqual({})
    const { fields } = readVisualFields([
      line('Surname', 10, 10),
      line("O'BRIEN", 12, 28),
      line('{{7*7}}', 10, 60),
    ])
    expect(fields.surname?.value).toBe("O'BRIEN")
    const hostile = [line('Surname', 10, 10), line('<img src=x onerror=alert(1)>', 12, 28)]
    expect(readVisualFields(hostile).fields.surname).toBeUndefined()
    const tags = '<script>alert(1)</script>'
    const place = readVisualFields([line('Place of birth', 10, 10), line(tags, 12, 28)]).fields.birth_place
    expect(place?.text).toBe(tags)
  })

  it('is quick on many lines of nonsense', () => {
    const lines = Array.from({ length: 160 }, (_, i) => line(`Name 1/${'a'.repeat(200)} 4a.`, i, i * 20))
    const start = performance.now()
    readVisualFields(lines, { surname: 'AAAA' })
    expect(performance.now() - start).toBeLessThan(5000)
    const cyrillic = Array.from({ length: 300 }, (_, i) =>
      line(i % 2 === 0 ? 'Surname' : 'MaHKXCBP'.repeat(6), i, i * 20),
    )
    const names = { surname: 'SHCHERBAKOV'.repeat(3), given_names: 'IUIAZHKHTSCH'.repeat(3) }
    const middle = performance.now()
    readVisualFields(cyrillic, { issuing_state: 'RUS', ...names })
    expect(performance.now() - middle).toBeLessThan(5000)
  })
})
