/**
 * How documents print that they do not expire, in place of a date. From memory of cards and of laws on them: a word that is missing
 * leaves the field unread, and one too many needs a zone that agrees.
 */
import { foldText } from './fold.ts'

const texts = `
  Albanian: Pa afat
  Bosnian, Croatian, Montenegrin, Serbian, Slovene: Bez ogranicenja; Neograniceno; Trajna; Trajno
  Bulgarian: Безсрочна; Безсрочно
  Chinese: 长期
  Czech: Bez omezeni; Na dobu neurcitou
  Dutch: Onbepaald; Onbeperkt
  English: Does not expire; Indefinite; Indefinitely; No expiry; Permanent; Unlimited
  Estonian: Tahtajatu
  French: Illimite; Illimitee; Indeterminee; Permanente
  German: Unbefristet; Unbegrenzt
  Hungarian: Hatarido nelkuli; Hatarozatlan
  Indonesian: Seumur hidup
  Italian: Illimitata; Illimitato; Senza scadenza
  Latvian: Beztermina
  Lithuanian: Neribotai; Neribotas; Neterminuota; Neterminuotas
  Polish: Bezterminowo; Czas nieoznaczony; Nieoznaczony
  Portuguese: Indeterminada; Indeterminado; Permanente; Vitalicia; Vitalicio
  Romanian: Nedeterminata; Nelimitat; Nelimitata
  Russian: Бессрочно; Бессрочный
  Slovak: Bez obmedzenia; Neobmedzena; Neobmedzene
  Spanish: Indefinida; Indefinido; No caduca; Permanente; Sin vencimiento; Vitalicia
  Turkish: Suresiz
  Ukrainian: Безстроково; Необмежено
`

const words: ReadonlySet<string> = new Set(
  texts
    .trim()
    .split('\n')
    .flatMap((line) => line.split(':')[1]!.split(';').map(foldText)),
)

/** Whether a text says that a document does not expire, in one language or several. */
export const saysEndless = (text: string): boolean => {
  const parts = text.split(/[/|]/u).map(foldText)
  return words.has(foldText(text)) || parts.some((part) => words.has(part))
}
