/** Words that documents print beside or above the values of their fields, in common languages of travel documents. */
import type { DocumentKind, VisualFieldName, VisualZone } from './field.ts'
import { foldText } from './fold.ts'

/** Labels of fields that are not reported: what stands there belongs to no other field. */
export type LabelName = VisualFieldName | 'other'

/** Separated by semicolons. */
const labelTexts: Readonly<Record<LabelName, string>> = {
  surname: `
    Surname; Surnames; Family name; Last name; Name of holder; Primary identifier; Identifiant primaire; LN; Nom; Noms; Nom de
    famille; Nom usuel; Name; Familienname; Nachname; Apellidos; Apellido; Primer apellido; Cognome;
    Apelidos; Apelido; Sobrenome; Naam; Achternaam; Nazwisko; Efternamn; Efternavn; Etternavn; Sukunimi;
    Prijmeni; Prezime; Priimek; Nume; Soyadi; Csaladi nev; Perekonnanimi; Uzvards; Pavarde; Фамилия;
    Прізвище; Фамилно име
  `,
  given_names: `
    Given names; Given name; Given name(s); First name; First names; Forenames; Forename(s); Other
    names; FN; Christian names; Secondary identifier; Identifiant secondaire; Prenom; Prenoms; Prenom(s); Vorname; Vornamen;
    Vorname(n); Nombre; Nombres; Nombre(s); Nome; Nomi; Nomes; Nome(s) proprio(s); Voornamen; Voornaam;
    Imiona; Imie; Imie (imiona); Fornamn; Fornavn; Etunimet; Etunimi; Jmeno; Jmena; Ime; Prenume; Adi;
    Adlari; Utonev; Eesnimi; Eesnimed; Vardi; Vardai; Имя; Имена; Ім'я; Имя отчество
  `,
  full_name: `
    Full name; Nama; Name in full; Names; Nom et prenoms; Nombre completo; Nome completo; Surname and given
    names; Фамилия имя отчество
  `,
  document_number: `
    Passport No; Passport number; Passport Nr; Document No; Document number; Doc No; Card No; Card
    number; Licence No; License No; Licence number; License number; Driver license number; Driver
    licence number; LIC#; LIC No; DL; DLN; DL No; DL#; Identity card No; ID No; ID number; Permit No;
    Visa No; Number of document; Control No; No de passeport; N° de passeport; Numero de passeport;
    Passeport No; Passeport N°; N° de document; Numero du document; No du document; Carte N°; N° de
    carte; Reisepass Nr; Reisepassnummer; Pass Nr; Passnummer; Ausweisnummer; Ausweis Nr;
    Dokumentennummer; Dokumentnummer; Seriennummer; Personalausweis Nr; Pasaporte No; Pasaporte N°;
    Numero de pasaporte; N° de pasaporte; Numero de documento; Num soporte; IDESP; No de documento;
    Passaporto N; Passaporto N°; Numero di passaporto; Numero passaporto; N° passaporto; Passaporte N°;
    Numero documento; Paspoortnummer; Documentnummer; Paspoort nr; Numer paszportu; Nr paszportu; Numer
    dokumentu; Passets nr; Pasnr; Passi number; Passin numero; Cislo pasu; Cislo dokladu; Broj
    putovnice; Broj isprave; Pasaport No; Seri No; Utlevelszam; Номер паспорта; № паспорта; Паспорт №;
    Номер документа
  `,
  personal_number: `
    Personal No; Personal number; Personal identification number; Personal code; Identity No; Identity
    number; National ID No; National identity number; USCIS#; USCIS; N° personnel; No personnel; Numero
    personnel; Personalnummer; Persoonsnummer; BSN; Burgerservicenummer; DNI; NIE; Numero personal;
    Codice fiscale; Numer PESEL; PESEL; Nr PESEL; Rodne cislo; OIB; CNP; EMSO; EGN; Personnummer;
    Henkilotunnus; Isikukood; Personas kods; Asmens kodas; TC Kimlik No; Curp; RUT; Cedula; Личный код;
    Личный номер
  `,
  nationality: `
    Nationality; Nationalite; Nationalitat; Warganegara; Staatsangehorigkeit; Nacionalidad; Cittadinanza; Nazionalita;
    Nacionalidade; Nationaliteit; Obywatelstwo; Nationalitet; Medborgarskap; Kansalaisuus; Statni
    prislusnost; Statni obcanstvi; Statna prislusnost; Drzavljanstvo; Cetatenie; Cetatenia; Uyrugu;
    Allampolgarsag; Kodakondsus; Pilsoniba; Pilietybe; Citizenship; Гражданство; Громадянство
  `,
  sex: `
    Sex; Sexe; Geschlecht; Sexo; Sesso; Geslacht; Plec; Kon; Kjonn; Sukupuoli; Pohlavi; Pohlavie; Spol;
    Cinsiyet; Cinsiyeti; Nem; Sugu; Dzimums; Lytis; Gender; Genre; Пол; Стать
  `,
  birth_date: `
    Date of birth; Birth date; Birthdate; DOB; D.O.B.; Date de naissance; Ne(e) le; Ne le; Geburtsdatum;
    Geburtstag; Geboren am; Tag der Geburt; Fecha de nacimiento; Fecha nac; Data di nascita; Nato il;
    Data de nascimento; Geboortedatum; Data urodzenia; Fodelsedatum; Fodselsdato; Fodselsdag;
    Syntymaaika; Datum narozeni; Datum narodenia; Datum rodenja; Datum rojstva; Data nasterii; Dogum
    tarihi; Szuletesi datum; Szuletesi ido; Sunnikuupaev; Sunniaeg; Dzimsanas datums; Gimimo data; Дата
    рождения; Дата народження
  `,
  issue_date: `
    Date of issue; Issue date; Issued on; Date issued; ISS; Issued; Date de delivrance;
    Delivre le; Date d'emission; Ausstellungsdatum; Ausgestellt am; Datum der Ausstellung; Fecha de
    expedicion; Fecha de emision; Expedicion; Emision; Data di rilascio; Rilasciato il; Data de emissao;
    Data de expedicao; Datum van afgifte; Datum afgifte; Afgegeven op; Datum uitgifte; Data wydania;
    Utfardandedatum; Utfardad den; Udstedelsesdato; Utstedt; Utstedelsesdato; Myonnetty; Myontamispaiva;
    Antopaiva; Datum vydani; Datum vydania; Datum izdavanja; Datum izdaje; Data eliberarii; Verilis
    tarihi; Duzenleme tarihi; Kiallitas datuma; Valjaandmise kuupaev; Izdosanas datums; Isdavimo data;
    Дата выдачи; Дата видачі
  `,
  expiry_date: `
    Date of expiry; Date of expiration; Expiry date; Expiration date; Expiry; Expires; Expires on; EXP;
    Card expires; Valid until; Valid till; Valid thru; Until; Date d'expiration; Date d expiration;
    Valable jusqu'au; Expire le; Expiration; Gultig bis; Gueltig bis; Ablaufdatum; Datum des Ablaufs;
    Fecha de caducidad; Fecha de vencimiento; Valido hasta; Validez; Vencimiento; Caduca; Data di
    scadenza; Scadenza; Data de validade; Valido ate; Validade; Geldig tot; Data waznosci; Termin
    waznosci; Data uplywu waznosci; Giltigt till; Giltig till; Giltigt t.o.m.; Gyldig til; Udlober;
    Utloper; Viimeinen voimassaolopaiva; Voimassa; Datum platnosti; Platnost do; Platny do; Vrijedi do;
    Datum isteka; Velja do; Datum poteka; Data expirarii; Valabil pana la; Gecerlilik tarihi; Son
    gecerlilik; Ervenyesseg; Lejarat; Kehtiv kuni; Deriga lidz; Galioja iki; Срок действия; Действителен
    до; Дата окончания срока действия; Дійсний до
  `,
  authority: `
    Authority; Issuing authority; Issuing office; Issued by; Autorite; Autorite de delivrance; Delivre par; Behorde;
    Ausstellende Behorde; Ausgestellt von; Autoridad; Autoridad expedidora; Expedido por; Equipo;
    Autorita; Rilasciato da; Autoridade; Instantie; Afgegeven door; Organ wydajacy; Organ; Utfardande
    myndighet; Myndighet; Myndighed; Udstedt af; Utstedt av; Viranomainen; Vydal; Urad; Tijelo; Organ
    izdaje; Izdalo; Autoritatea; Emitent; Veren makam; Kiallito hatosag; Valja andnud; Izdevejiestade;
    Israige; Орган выдавший документ; Кем выдан; Выдан; Орган що видав
  `,
  birth_place: `
    Place of birth; Birthplace; Birth place; Country of birth; Lieu de naissance; Geburtsort; Lugar de
    nacimiento; Luogo di nascita; Local de nascimento; Naturalidade; Geboorteplaats; Miejsce urodzenia;
    Fodelseort; Fodested; Fodselssted; Syntymapaikka; Misto narozeni; Miesto narodenia; Mjesto rodenja;
    Kraj rojstva; Locul nasterii; Dogum yeri; Szuletesi hely; Sunnikoht; Dzimsanas vieta; Gimimo vieta;
    Место рождения; Місце народження
  `,
  address: `
    Address; Residence; Adresse; Domicile; Anschrift; Wohnort; Domicilio; Direccion; Indirizzo;
    Residenza; Endereco; Morada; Adres; Woonplaats; Adress; Osoite; Bydliste; Prebivaliste; Domiciliu;
    Lakcim; Адрес; Место жительства
  `,
  issuing_state: `
    Country code; Code of issuing state; Issuing state; Code du pays; Code pays; Code; Staatscode;
    Codigo del pais; Codice paese; Codice del paese; Codigo do pais; Landcode; Kod kraju; Landskod;
    Maakoodi; Kod statu; Kod drzave; Ulke kodu; Код государства
  `,
  height: `
    Height; HGT; Taille; Grosse; Estatura; Talla; Statura; Altura; Lengte; Wzrost; Langd; Рост
  `,
  vehicle_class: `
    Class; Classe; Klasse; Categories; Clase; Category
  `,
  other: `
    Type; Typ; Tipo; Tip; Тип; Eyes; Eye color; Colour of eyes; Color of eyes; Couleur des yeux;
    Augenfarbe; Hair; Weight; WGT; Donor; Restrictions; RSTR; Rest; END; Endorsements; ENDL; DD; REV;
    Category of; Category; Resident since; Holder's signature; Signature of bearer; Signature; Signature du titulaire;
    Unterschrift; Unterschrift der Inhaberin; Firma del titular; Firma; Firma del titolare; Assinatura;
    Handtekening; Podpis; Namnteckning; Подпись; Подпись владельца; Maiden name; Name at birth;
    Geburtsname; Nom de naissance; Nom d'usage; Name of father; Father name; Mother name; Spouse;
    Marital status; Religious name; Ordensname; Endorsements; Observations; Remarks; Number of entries;
    Duration of stay; Valid from; CAN; Access number; Zugangsnummer; Blood group; Profession; Employer
  `,
}

const split = (texts: string): string[] => texts.split(';').map(foldText)

/** Letters that text recognition confuses in labels, one of each group for all. */
const lookAlikes: Readonly<Record<string, string>> = { L: 'I', '1': 'I', '0': 'O' }

/** A folded text in which letters that look alike are the same; its length stays. */
export const foldLookAlikes = (folded: string): string =>
  folded.replaceAll(/[L10]/g, (symbol) => lookAlikes[symbol]!)

/** A label as it is looked for: without spaces and accents. */
export interface Label {
  readonly folded: string
  /** With one form of letters that look alike. */
  readonly looks: string
  readonly name: LabelName
}

/** All labels, the longest first: a part of a label is no other label. */
const labels: readonly Label[] = Object.entries(labelTexts)
  .flatMap(([name, texts]) =>
    split(texts).map((folded) => ({ folded, looks: foldLookAlikes(folded), name: name as LabelName })),
  )
  .filter(({ folded }, i, all) => all.findIndex((other) => other.folded === folded) === i)
  .sort((a, b) => b.folded.length - a.folded.length)

const groupByFirst = (key: 'folded' | 'looks'): ReadonlyMap<string, readonly Label[]> => {
  const groups = new Map<string, Label[]>()
  for (const label of labels) {
    const first = label[key].charAt(0)
    groups.set(first, [...(groups.get(first) ?? []), label])
  }
  return groups
}

/** Labels by their first letter, the longest first. */
export const labelsByLetter = groupByFirst('folded')
/** Labels by their first letter in the form of letters that look alike. */
export const labelsByLook = groupByFirst('looks')

/** Labels of the surname that stand for the whole name on pages without a label of given names. */
export const nameLabels: ReadonlySet<string> = new Set(['Name', 'Nom', 'Naam', 'Nume'].map(foldText))

/** Words that tell what a document is, the most special ones first. */
const kindTexts: readonly (readonly [DocumentKind, string])[] = [
  [
    'driver_licence',
    `
      Driver license; Driver licence; Driver's license; Driving licence; Drivers licence; Operator
      license; Permis de conduire; Fuhrerschein; Permiso de conduccion; Licencia de conducir; Patente
      di guida; Carta de conducao; Rijbewijs; Prawo jazdy; Korkort; Korekort; Forerkort; Ajokortti;
      Ridicsky prukaz; Vodicsky preukaz; Vozacka dozvola; Surucu belgesi; Водительское удостоверение
    `,
  ],
  [
    'residence_permit',
    `
      Permanent resident; Residence permit; Resident permit; Titre de sejour; Carte de sejour;
      Aufenthaltstitel; Aufenthaltserlaubnis; Permiso de residencia; Permesso di soggiorno; Titulo de
      residencia; Verblijfstitel; Karta pobytu; Uppehallstillstand; Вид на жительство
    `,
  ],
  [
    'id_card',
    `
      Identity card; Identification card; National identity; ID card; Carte d'identite; Carte
      nationale d'identite; Carte nationale; Personalausweis; Identitatskarte; Documento nacional de
      identidad; Carta di identita; Carta d'identita; Cartao de cidadao; Bilhete de identidade;
      Identiteitskaart; Dowod osobisty; Obcansky prukaz; Obciansky preukaz; Osobna iskaznica; Osebna
      izkaznica; Carte de identitate; Nationellt identitetskort; Henkilokortti; Kimlik karti;
      Удостоверение личности
    `,
  ],
  [
    'visa',
    `
      Visa; Visum; Visado; Visto; Wiza; Виза
    `,
  ],
  [
    'passport',
    `
      Passport; Passeport; Reisepass; Pasaporte; Passaporto; Passaporte; Paspoort; Paszport; Pass;
      Pas; Passi; Cestovni pas; Cestovny pas; Putovnica; Potni list; Pasaport; Utlevel; Pase; Pasas;
      Паспорт
    `,
  ],
]

const kindWords = kindTexts.map(([kind, texts]) => [kind, split(texts)] as const)

/** A label of at least so many letters may have one wrong letter, beside those that look alike. */
const tolerantLength = 8

/**
 * Whether a text nearly begins with a label, at a place.
 * @param text from `foldLookAlikes`
 */
export function nearlyBeginsWith(text: string, at: number, { looks }: Label): boolean {
  let errorsLeft = 1
  if (looks.length < tolerantLength || at + looks.length > text.length) return false
  for (let i = 0; i < looks.length; i++) {
    if (text[at + i] === looks[i]) continue
    // The first letter is right: otherwise many words would be labels.
    if (i === 0 || errorsLeft === 0) return false
    errorsLeft--
  }
  return true
}

/** Words as short as this tell the kind only if they stand alone, and have other meanings: that of a card, or of a ticket. */
const shortWord = 5

/** What the words of a page tell about its kind; `null` if nothing. */
export function findKind(texts: readonly string[]): Pick<VisualZone, 'kind' | 'isNamed'> {
  const folded = texts.map(foldText)
  const words = new Set(texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)).map(foldText))
  const found = kindWords.flatMap(([kind, names]) =>
    names
      .filter(
        (name) => words.has(name) || (name.length > shortWord && folded.some((text) => text.includes(name))),
      )
      .map((name) => ({ kind, name })),
  )
  return { kind: found[0]?.kind ?? null, isNamed: found.some(({ name }) => name.length > shortWord) }
}
