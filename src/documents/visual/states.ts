/** States and nationalities as documents print them, and their ICAO codes (Doc 9303-3, section 5). */
import { isState } from '../mrz/states.ts'
import { foldText } from './fold.ts'

/** Code, then names and nationalities. */
const stateTexts: readonly (readonly [code: string, ...names: readonly string[]])[] = [
  ['ARG', 'Argentina', 'Argentine', 'Republica Argentina'],
  ['AUS', 'Australia', 'Australian'],
  ['AUT', 'Austria', 'Austrian', 'Osterreich', 'Republik Osterreich'],
  ['BEL', 'Belgium', 'Belgian', 'Belgique', 'Belgie', 'Belge', 'Belg'],
  ['BGR', 'Bulgaria', 'Bulgarian', 'България', 'Republic of Bulgaria'],
  ['BRA', 'Brazil', 'Brasil', 'Brazilian', 'Brasileiro', 'Brasileira', 'Brasileiro(a)'],
  ['CAN', 'Canada', 'Canadian', 'Canadienne', 'Canadian/Canadienne'],
  ['CHE', 'Switzerland', 'Swiss', 'Schweiz', 'Suisse', 'Svizzera'],
  ['CHL', 'Chile', 'Chilean', 'Chilena'],
  ['CHN', 'China', 'Chinese', "People's Republic of China"],
  ['COL', 'Colombia', 'Colombian', 'Colombiana', 'Republica de Colombia'],
  ['CYP', 'Cyprus', 'Cypriot'],
  ['CZE', 'Czech Republic', 'Czech', 'Ceska republika', 'Czechia'],
  [
    'D',
    'Germany',
    'German',
    'Deutsch',
    'Deutschland',
    'Bundesrepublik Deutschland',
    'Federal Republic of Germany',
  ],
  ['DNK', 'Denmark', 'Danish', 'Danmark', 'Dansk'],
  ['EGY', 'Egypt', 'Egyptian'],
  ['ESP', 'Spain', 'Spanish', 'Espana', 'Espanola', 'Espanol', 'Reino de Espana'],
  ['EST', 'Estonia', 'Estonian', 'Eesti'],
  ['FIN', 'Finland', 'Finnish', 'Suomi'],
  ['FRA', 'France', 'French', 'Francaise', 'Francais', 'Republique francaise'],
  [
    'GBR',
    'United Kingdom',
    'British',
    'British citizen',
    'United Kingdom of Great Britain and Northern Ireland',
  ],
  ['GRC', 'Greece', 'Greek', 'Hellenic', 'Hellenic Republic'],
  ['HRV', 'Croatia', 'Croatian', 'Hrvatsko', 'Republika Hrvatska'],
  ['HUN', 'Hungary', 'Hungarian', 'Magyar', 'Magyarorszag'],
  ['IDN', 'Indonesia', 'Indonesian'],
  ['IND', 'India', 'Indian', 'Republic of India'],
  ['IRL', 'Ireland', 'Irish', 'Eire'],
  ['ISL', 'Iceland', 'Icelandic', 'Island'],
  ['ISR', 'Israel', 'Israeli'],
  ['ITA', 'Italy', 'Italian', 'Italiana', 'Repubblica italiana', 'Italia'],
  ['JPN', 'Japan', 'Japanese'],
  ['KAZ', 'Kazakhstan', 'Kazakhstani'],
  ['KOR', 'Republic of Korea', 'Korean'],
  ['LTU', 'Lithuania', 'Lithuanian', 'Lietuvos'],
  ['LUX', 'Luxembourg', 'Luxembourgish'],
  ['LVA', 'Latvia', 'Latvian', 'Latvijas'],
  ['MAR', 'Morocco', 'Moroccan', 'Royaume du Maroc', 'Marocaine'],
  ['MEX', 'Mexico', 'Mexican', 'Mexicana', 'Estados Unidos Mexicanos'],
  ['MLT', 'Malta', 'Maltese'],
  ['MYS', 'Malaysia', 'Malaysian'],
  ['NGA', 'Nigeria', 'Nigerian'],
  ['NLD', 'Netherlands', 'Dutch', 'Nederlandse', 'Nederland', 'Koninkrijk der Nederlanden'],
  ['NOR', 'Norway', 'Norwegian', 'Norge', 'Norsk'],
  ['NZL', 'New Zealand', 'New Zealander'],
  ['PAK', 'Pakistan', 'Pakistani'],
  ['PER', 'Peru', 'Peruvian', 'Peruana'],
  ['PHL', 'Philippines', 'Filipino', 'Pilipinas'],
  ['POL', 'Poland', 'Polish', 'Polska', 'Polskie', 'Rzeczpospolita Polska'],
  ['PRT', 'Portugal', 'Portuguese', 'Portuguesa'],
  ['RKS', 'Kosovo', 'Kosova', 'Kosovar', 'Kosovan', 'Kosovarisch', 'Republika e Kosoves'],
  ['ROU', 'Romania', 'Romanian', 'Romana'],
  ['RUS', 'Russian Federation', 'Russia', 'Russian', 'Россия', 'Российская Федерация'],
  ['SGP', 'Singapore', 'Singaporean', 'Republic of Singapore'],
  ['SRB', 'Serbia', 'Serbian', 'Republika Srbija'],
  ['SVK', 'Slovakia', 'Slovak', 'Slovenska republika'],
  // "Slovensko" is Slovakia in Slovak, and the nationality in Slovenian.
  ['SVN', 'Slovenia', 'Slovenian', 'Republika Slovenija'],
  ['SWE', 'Sweden', 'Swedish', 'Sverige', 'Svensk'],
  ['THA', 'Thailand', 'Thai'],
  [
    'TUR',
    'Turkey',
    'Turkish',
    'Turkiye',
    'Turkiye Cumhuriyeti',
    'T.C.',
    'Republic of Turkiye',
    'Republic of Turkey',
  ],
  ['UKR', 'Ukraine', 'Ukrainian', 'Україна'],
  ['USA', 'United States of America', 'United States', 'USA', 'American'],
  ['UTO', 'Utopia', 'Utopian'],
  ['VNM', 'Viet Nam', 'Vietnam', 'Vietnamese'],
  ['ZAF', 'South Africa', 'South African', 'Republic of South Africa'],
]

const codesByName = new Map(
  stateTexts.flatMap(([code, ...names]) => [code, ...names].map((name) => [foldText(name), code] as const)),
)

/** The ICAO code of a printed state or nationality; of several in one text, such as in two languages, if they agree. */
export function findState(text: string): string | null {
  const whole = foldText(text)
  if (isState(whole)) return whole === 'DEU' ? 'D' : whole
  const parts = [whole, ...text.split(/[/|(),]/u).map(foldText)]
  const codes = new Set(parts.map((part) => codesByName.get(part)).filter((code) => code !== undefined))
  return codes.size === 1 ? [...codes][0]! : null
}

/** Their licences print the month first. Without those that are parts of common words. */
const americanStates = `
  Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia Hawaii Idaho Illinois Indiana Iowa Kansas
  Kentucky Louisiana Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada NewHampshire NewJersey
  NewMexico NewYork NorthCarolina NorthDakota Ohio Oklahoma Oregon Pennsylvania RhodeIsland SouthCarolina SouthDakota Tennessee
  Texas Utah Vermont Virginia Washington Wisconsin Wyoming
`
  .trim()
  .split(/\s+/)
  .map(foldText)

/** Whether a line of a driving licence names a state of the USA. The reader loses spaces. */
export const namesAmericanState = (text: string): boolean =>
  americanStates.some((name) => foldText(text).includes(name))
