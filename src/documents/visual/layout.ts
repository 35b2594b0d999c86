/** The places of labels and values on a page. */
import type { Quad, TextLineReading } from '../reading.ts'
import { isTitle } from './find-kind.ts'
import { foldText } from './fold.ts'
import type { LabelName } from './label-texts.ts'
import {
  foldLookAlikes,
  type Label,
  labelEnds,
  labelsByLetter,
  labelsByLook,
  nearlyBeginsWith,
} from './labels.ts'

/** A box with its sides along the page: x along its lines, y downwards. */
interface PageBox {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** A piece of a line: its text, and where it stands. */
export interface Piece {
  readonly text: string
  readonly box: PageBox
  /** Number of its line. */
  readonly line: number
}

/** A label on the page, and the text that follows it in its line. */
export interface PlacedLabel {
  readonly name: LabelName
  /** As printed. */
  readonly text: string
  /** Its text, folded. */
  readonly folded: string
  readonly box: PageBox
  readonly line: number
  readonly inline: Piece | null
  /** What joins it to the label before it in its line; `null` if nothing does. */
  readonly link: LabelLink | null
  /** Whether it ends with words for the holder. */
  readonly isOfHolder: boolean
}

/**
 * The same in another language, or one more thing that the value has: `Surname/Nom`, `Surname and given names`. Neighbours have nothing in
 * between, and may be either.
 */
type LabelLink = 'translation' | 'addition' | 'neighbour'

interface PageLayout {
  readonly labels: readonly PlacedLabel[]
  /** Text without labels. */
  readonly values: readonly Piece[]
  /** Numbers of the lines that are parts of sentences. */
  readonly prose: ReadonlySet<number>
}

/** Boxes of lines in the coordinates of the page: turned so that its lines run to the right. */
function placeOnPage(lines: readonly { place: Quad }[]): PageBox[] {
  let [x, y] = [0, 0]
  for (const { place } of lines) {
    x += place[1].x - place[0].x
    y += place[1].y - place[0].y
  }
  const length = Math.hypot(x, y) || 1
  const [cosine, sine] = length > 0 && (x !== 0 || y !== 0) ? [x / length, y / length] : [1, 0]
  return lines.map(({ place }) => {
    const along = place.map((point) => point.x * cosine + point.y * sine)
    const down = place.map((point) => point.y * cosine - point.x * sine)
    return {
      ...{ left: Math.min(...along), right: Math.max(...along) },
      ...{ top: Math.min(...down), bottom: Math.max(...down) },
    }
  })
}

/** A found label: its characters in the text of its line. */
interface Match {
  readonly name: LabelName
  readonly folded: string
  readonly from: number
  readonly to: number
  readonly isOfHolder: boolean
}

/** Folded characters with the place of each in the text. */
function foldWithPlaces(text: string): { folded: string; places: number[] } {
  let folded = ''
  const places: number[] = []
  for (let at = 0; at < text.length; ) {
    const symbol = String.fromCodePoint(text.codePointAt(at)!)
    const part = foldText(symbol)
    for (let i = 0; i < part.length; i++) places.push(at)
    folded += part
    at += symbol.length
  }
  return { folded, places }
}

const isLetter = (symbol: string | undefined) => symbol !== undefined && /\p{L}/u.test(symbol)
const isLower = (symbol: string | undefined) => symbol !== undefined && /\p{Ll}/u.test(symbol)
const isUpper = (symbol: string | undefined) => symbol !== undefined && /\p{Lu}/u.test(symbol)

/** Whether a word may begin or end between two characters: the reader loses spaces. */
const isBoundary = (before: string | undefined, after: string | undefined): boolean =>
  !isLetter(before) || !isLetter(after) || (isLower(before) && isUpper(after))

/** Numbers that driving licences print before their labels. */
const itemNumber = /(?:^|\s)(?:[1-9]|1[0-9]|4[a-dA-D]|9[aA])[.\s]*$/

/** Finds the labels of a line from left to right. */
function findLabels(text: string): Match[] {
  const { folded, places } = foldWithPlaces(text)
  const looks = foldLookAlikes(folded)
  const matches: Match[] = []
  for (let at = 0; at < folded.length; ) {
    const from = places[at]!
    const follows = matches.at(-1)?.to === from
    const isNumbered = itemNumber.test(text.slice(0, from))
    const isItemLetter = text[from - 1] === '4' && /[a-d]/i.test(text[from]!)
    const mayStart = !isItemLetter && (follows || isNumbered || isBoundary(text[from - 1], text[from]))
    const endOf = ({ folded: { length } }: Label) => {
      const ending = labelEnds.find((item) => nearlyBeginsWith(looks, at + length, item))
      return at + length + (ending?.folded.length ?? 0)
    }
    const endsWord = (item: Label) => {
      const end = places[endOf(item)]
      // A digit of the label itself does not end a word.
      return end === undefined || isNumbered || isBoundary(text[end - 1], text[end])
    }
    const label = mayStart
      ? (labelsByLetter
          .get(folded.charAt(at))
          ?.find((item) => folded.startsWith(item.folded, at) && endsWord(item)) ??
        labelsByLook
          .get(looks.charAt(at))
          ?.find((item) => nearlyBeginsWith(looks, at, item) && endsWord(item)))
      : undefined
    if (label) {
      const next = endOf(label)
      const end = places[next - 1]! + 1
      const to = text[end] === ')' ? end + 1 : end
      const isOfHolder = next > at + label.folded.length
      matches.push({ name: label.name, folded: label.folded, from, to, isOfHolder })
      at = next
    } else at++
  }
  return matches
}

/** A part of a line; characters are taken to have equal widths. */
function pieceOf({ text }: TextLineReading, box: PageBox, line: number, from: number, to: number): Piece {
  const width = (box.right - box.left) / Math.max(1, text.length)
  return {
    text: text.slice(from, to),
    box: { ...box, left: box.left + from * width, right: box.left + to * width },
    line,
  }
}

const hasText = (text: string) => foldText(text) !== ''

/** Words for "and", in languages of labels, without spaces and accents. */
const conjunctions = new Set('A AND DAN E EN ES ET I IN IR JA OCH OG SI UN UND VA VE Y И І ТА'.split(' '))

/** What a text between two labels makes of the second one. */
function findLink(between: string): LabelLink | null {
  if (/^[^:]*[/|]\s*$/.test(between)) return 'translation'
  if (conjunctions.has(foldText(between)) || /^\s*[,&+]\s*$/.test(between)) return 'addition'
  return /^[\s.-]*$/.test(between) ? 'neighbour' : null
}

/** The same label in another language, unless the text is no word. */
const isOtherLanguage = (text: string) => /^\s*[/|]/.test(text)

/** Words of a sentence beside labels; long ones are several without spaces. */
const proseWordsMin = 4
const wordLength = 5

/** Whether a line is part of a sentence, in which the words of labels are no labels. Labels in several languages have slashes. */
function isProse(text: string, labelsOfLine: readonly Match[]): boolean {
  if (/[/|]/.test(text) || isTitle(text)) return false
  const rest = labelsOfLine.reduceRight(
    (left, { from, to }) => `${left.slice(0, from)} ${left.slice(to)}`,
    text,
  )
  const words = rest.match(/(?<!\p{L})\p{Ll}{2,}(?!\p{L})/gu) ?? []
  const count = words.reduce((sum, word) => sum + Math.max(1, Math.floor(word.length / wordLength)), 0)
  return count >= proseWordsMin
}

/** Finds labels and values. Lines of machine-readable zones and of sentences are left out. */
export function layOut(lines: readonly TextLineReading[]): PageLayout {
  const boxes = placeOnPage(lines)
  const placed: PlacedLabel[] = []
  const values: Piece[] = []
  const prose = new Set<number>()
  for (const [i, line] of lines.entries()) {
    if (isZoneLine(line.text)) continue
    const box = boxes[i]!
    const matches = findLabels(line.text)
    if (isProse(line.text, matches)) {
      prose.add(i)
      continue
    }
    const [first] = matches
    if (!first) {
      values.push(pieceOf(line, box, i, 0, line.text.length))
      continue
    }
    const before = line.text.slice(0, first.from)
    if (hasText(before) && !itemNumber.test(before) && !/[/|]\s*$/.test(before))
      values.push(pieceOf(line, box, i, 0, first.from))
    const links = matches.map(({ from }, k) => findLink(line.text.slice(matches[k - 1]?.to ?? 0, from)))
    for (const [k, { name, folded, from, to, isOfHolder }] of matches.entries()) {
      // A label in several languages begins with the first of them, known or not.
      const start = matches[k - 1]?.to ?? 0
      const end = matches[k + 1]?.from ?? line.text.length
      const rest = line.text.slice(to, end).replace(k + 1 < matches.length ? itemNumber : /$^/, '')
      const isValue = hasText(rest) && !isOtherLanguage(rest) && links[k + 1] !== 'addition'
      const { box: place } = pieceOf(line, box, i, links[k] === 'translation' ? start : from, to)
      placed.push({
        ...{ name, folded, isOfHolder, text: line.text.slice(from, to) },
        box: place,
        line: i,
        inline: isValue ? pieceOf(line, box, i, to, to + rest.length) : null,
        link: k > 0 ? links[k]! : null,
      })
    }
  }
  return { labels: placed, values, prose }
}

/** A tag of markup, which zones cannot have. */
const tag = /<\/?\p{L}[^<>]*>/u

/** A line of a zone of which the fillers were not read: unlike titles in capitals it has numbers. */
const unfilled = /^(?=(?:\D*\d){6})[A-Z0-9<]{28,}$/

/** Whether a line belongs to a machine-readable zone. */
export const isZoneLine = (text: string): boolean =>
  !tag.test(text) && (/<.*<|[<«]{2}|<[<«K]/.test(text) || unfilled.test(text.replaceAll(' ', '')))

/**
 * How far a value is from the place where its label wants it, in heights of the label: right of it, or below.
 * @returns `null` if it is too far, or elsewhere
 */
export function distanceFrom({ box: label }: PlacedLabel, { box: value }: Piece): number | null {
  const unit = Math.max(1, label.bottom - label.top)
  const height = value.bottom - value.top
  if (height > 3.5 * unit || height < 0.45 * unit) return null
  const rowGap = Math.abs(label.top + label.bottom - value.top - value.bottom) / 2 / unit
  const right = (value.left - label.right) / unit
  if (rowGap < 0.6 && right > -1 && right < 12) return 0.6 + Math.max(0, right) + rowGap
  const below = (value.top - label.bottom) / unit
  const shift = (value.left - label.left) / unit
  const overlaps = value.left < label.right && value.right > label.left
  if (below < -0.7 || below > 1.6 || (!overlaps && Math.abs(shift) > 3) || shift < -6 || shift > 8)
    return null
  return 0.3 + Math.max(0, below) + 0.3 * Math.abs(shift)
}
