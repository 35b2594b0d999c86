/** The guide: the Markdown of the repository as pages, with a search index. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import MiniSearch from 'minisearch'
import { indexOptions, type Section } from '../../web/guide/search-index.ts'

/** Its lists name the pages of the guide, by subject. */
const startFile = 'docs/README.md'
/** All documents in these folders are pages. */
const folders = ['docs', 'models/cards']

interface Source {
  file: string
  /** Its address, such as `/guide/liveness`. */
  address: string
  text: string
}

export interface Guide {
  /** HTML by the names of the files that are served, such as `guide/liveness.html`. */
  pages: ReadonlyMap<string, string>
  searchIndex: string
  /** Sources and their folders, from the project's folder. */
  sources: readonly string[]
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** As the hosts of repositories make anchors of headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

function addressOf(file: string): string {
  if (file === startFile) return '/guide'
  const name = path.posix.basename(file, '.md').toLowerCase()
  return `/guide/${file === 'README.md' ? 'quick-start' : name}`
}

/** Documents that a document links to, from the project's folder, in their order. */
const linkedFiles = (file: string, text: string): string[] =>
  [...text.matchAll(/\]\((?!\w+:)([^)#\s]+\.md)/g)].map(([, link]) =>
    path.posix.join(path.posix.dirname(file), link!),
  )

async function readSources(root: string): Promise<Source[]> {
  const read = async (file: string): Promise<Source> => ({
    file,
    address: addressOf(file),
    text: await readFile(path.join(root, file), 'utf8'),
  })
  const start = await read(startFile)
  const listed = folders.map(async (folder) => {
    const names = (await readdir(path.join(root, folder))).filter((name) => name.endsWith('.md'))
    return names.sort().map((name) => path.posix.join(folder, name))
  })
  const files = new Set([...linkedFiles(startFile, start.text), ...(await Promise.all(listed)).flat()])
  files.delete(startFile)
  return [start, ...(await Promise.all([...files].map(read)))]
}

const headingOf = ({ text }: Source): string => /^# (.+)$/m.exec(text)?.[1] ?? 'Untitled'

/** The text of inline Markdown, without its marks. */
const plainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if ('tokens' in token && token.tokens) return plainText(token.tokens)
      return token.type === 'html' ? '' : 'text' in token ? String(token.text) : ''
    })
    .join('')

/** Links between documents become links between pages. Other files are not served, so their names alone remain. */
function rewriteLink(source: Source, sources: readonly Source[], href: string): string | null {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href
  const [target = '', anchor] = href.split('#')
  const file = path.posix.join(path.posix.dirname(source.file), target)
  const found = sources.find((other) => other.file === file)
  return found ? `${found.address}${anchor === undefined ? '' : `#${anchor}`}` : null
}

function renderPage(source: Source, sources: readonly Source[]): { html: string; tokens: Token[] } {
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const address = rewriteLink(source, sources, href)
        return address === null ? text : `<a href="${escapeHtml(address)}">${text}</a>`
      },
      heading({ tokens, depth }) {
        return `<h${depth} id="${escapeHtml(anchorOf(plainText(tokens)))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
    },
    hooks: {
      // Wide tables scroll, also by the keyboard.
      postprocess: (html) =>
        html
          .replaceAll('<table>', '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
          .replaceAll('</table>', '</table></div>')
          .replaceAll('<pre>', '<pre tabindex="0">'),
    },
  })
  return { html: marked.parse(source.text, { async: false }), tokens: marked.lexer(source.text) }
}

/** The text of a block, without its marks. */
function blockText(token: Token): string {
  if (token.type === 'html') return ''
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].map((cells) => cells.map((cell) => plainText(cell.tokens)).join(' ')).join(' ')
  }
  if (token.type === 'list')
    return (token as Tokens.List).items.map((item) => blocksText(item.tokens)).join(' ')
  if (token.type === 'blockquote') return blocksText((token as Tokens.Blockquote).tokens)
  return 'tokens' in token && token.tokens
    ? plainText(token.tokens)
    : 'text' in token
      ? String(token.text)
      : ''
}

const blocksText = (tokens: readonly Token[]): string => tokens.map(blockText).join(' ')

/** Words of a comment `<!-- words: ... -->`, by which people look for its section. */
const wordsOf = ({ raw }: Token): string => /<!-- words: ([\s\S]*?) -->/.exec(raw)?.[1] ?? ''

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'

/** The sections of a page, each with the text up to the next heading. */
function sectionsOf({ address }: Source, tokens: readonly Token[]): Section[] {
  const first = tokens.find(isHeading)
  const page = first ? plainText(first.tokens) : address
  const sections: Section[] = []
  for (const token of tokens) {
    if (isHeading(token)) {
      const title = plainText(token.tokens)
      sections.push({ id: `${address}#${anchorOf(title)}`, page, title, text: '', words: '' })
    } else {
      const section = sections.at(-1)
      if (!section) continue
      section.text = `${section.text} ${blockText(token)}`.replaceAll(/\s+/g, ' ').trim()
      section.words += wordsOf(token)
    }
  }
  // Pages with two headings of one name lead to the first of them.
  return [...new Map([...sections].reverse().map((section) => [section.id, section])).values()]
}

/** Pages with this many sections list them at their beginning. */
const listedSectionsMin = 4

function listSections(tokens: readonly Token[]): string {
  const titles = tokens.filter(isHeading).filter(({ depth }) => depth === 2)
  if (titles.length < listedSectionsMin) return ''
  const links = titles.map((heading) => {
    const title = plainText(heading.tokens)
    return `<a href="#${escapeHtml(anchorOf(title))}">${escapeHtml(title)}</a>`
  })
  return `<nav aria-label="On this page">${links.join(' ')}</nav>`
}

/** Names of the pages in the lists of the start page. */
const namesOf = (start: Source, sources: readonly Source[]): ReadonlyMap<string, string> =>
  new Map(
    [...start.text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].flatMap(([, name, href]) => {
      const address = rewriteLink(start, sources, href!)
      return address === null ? [] : [[address, name!] as const]
    }),
  )

/** The contents beside each page: the lists of the start page, and what they leave out. */
function contentsOf(start: Source, sources: readonly Source[], current: string): string {
  const link = (address: string, name: string) => {
    const mark = address === current ? ' aria-current="page"' : ''
    return `<a href="${escapeHtml(address)}"${mark}>${escapeHtml(name)}</a>`
  }
  const listed = new Set(linkedFiles(start.file, start.text))
  const others = sources.filter((source) => source !== start && !listed.has(source.file))
  const more =
    others.length === 0
      ? []
      : ['<p>More</p>', ...others.map((source) => link(source.address, headingOf(source)))]
  const lists = new Marked().lexer(start.text).flatMap((token) => {
    if (isHeading(token)) return token.depth === 2 ? [`<p>${escapeHtml(plainText(token.tokens))}</p>`] : []
    if (token.type !== 'list') return []
    return [...token.raw.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name, href]) =>
      link(rewriteLink(start, sources, href!) ?? '/guide', name!),
    )
  })
  return [...lists, ...more].join('\n')
}

/**
 * Builds the guide.
 * @param template HTML with the places `{{title}}`, `{{contents}}` and `{{content}}`
 */
export async function buildGuide(root: string, template: string): Promise<Guide> {
  const sources = await readSources(root)
  const names = namesOf(sources[0]!, sources)
  const index = new MiniSearch(indexOptions)
  const pages = sources.map((source) => {
    const { html, tokens } = renderPage(source, sources)
    index.addAll(sectionsOf(source, tokens))
    const parts: Record<string, string> = {
      title: escapeHtml(names.get(source.address) ?? headingOf(source)),
      contents: contentsOf(sources[0]!, sources, source.address),
      content: html.replace('</h1>', (end) => end + listSections(tokens)),
    }
    const page = template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '')
    return [`${source.address.slice(1)}.html`, page] as const
  })
  return {
    pages: new Map(pages),
    searchIndex: JSON.stringify(index),
    sources: [...folders, ...sources.map(({ file }) => file)],
  }
}
