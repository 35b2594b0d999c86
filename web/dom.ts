/** Creates elements. Text is always text: no markup is parsed. */

export type Child = Node | string | null | false | undefined

type Properties = Readonly<
  Record<string, string | number | boolean | null | undefined | ((event: never) => void)>
>

function setProperties(element: Element, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue
    if (typeof value === 'function') element.addEventListener(name, value as EventListener)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
}

const toNodes = (children: readonly Child[]): (Node | string)[] =>
  children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false)

/**
 * An HTML element. Properties that are functions listen to the event of their name; `null` and `false` are left out.
 * @example h('button', { type: 'button', click: run }, 'Run')
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  setProperties(element, properties)
  element.append(...toNodes(children))
  return element
}

/** A text whose words in backticks are code. */
export const prose = (text: string): Child[] =>
  text.split('`').map((part, place) => (place % 2 === 0 ? part : h('code', {}, part)))

/** An SVG element. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  setProperties(element, properties)
  element.append(...toNodes(children))
  return element
}

export function find<Found extends HTMLElement>(id: string): Found {
  const element = document.getElementById(id)
  if (!element) throw new TypeError(`the page has no element ${id}`)
  return element as Found
}
