/** Follows the links of the pages as a reader would, and returns all pages and their faults. */
import { docsPages } from '../../src/docs/index.js'
import type { DocsFile } from '../../src/plan/docs-pages.js'

const server = 'https://api.example.com/v1'
export const problemBase = 'tag:express-rest-conventions,2026:errors'

/** A page of the docs, or a file that a page loads. */
export function fileOf(document: object, name: string, pages = docsPages(), folder = './'): string | undefined {
  const file = pages.page(name, { document, server, problemBase, folder, version: 'v1' }) as DocsFile | undefined
  return file === undefined ? undefined : String(file.body)
}

/**
 * Returns the contents of every page that can be reached from the index. The keys are the names of
 * the pages.
 */
export function pagesOf(document: object): ReadonlyMap<string, string> {
  const pages = docsPages()
  const found = new Map<string, string>()
  const pending = ['']
  while (pending.length > 0) {
    const name = pending.pop() as string
    if (found.has(name)) continue
    const body = fileOf(document, name, pages)
    if (body === undefined) throw new Error(`A link leads to "${name}", which is no page.`)
    found.set(name, body)
    pending.push(...linksOf(body).flatMap(({ page }) => (page === undefined ? [] : [page])))
  }
  return found
}

interface Link {
  readonly href: string
  /**
   * The page of the docs that the link leads to, or `undefined` for a link out of the docs or
   * within the same page.
   */
  readonly page: string | undefined
  readonly anchor: string | undefined
}

/** The links of a page. */
export function linksOf(body: string): readonly Link[] {
  return [...body.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, given = '']) => {
    const href = unescaped(given)
    const [address = '', anchor] = href.split('#')
    const isOutside =
      address === '' || /^[a-z]+:/i.test(address) || address.startsWith('../') || address.startsWith('./../')
    return {
      href,
      page: isOutside ? undefined : decodeURIComponent(address.replace(/^\.\//, '')),
      anchor: anchor && decodeURIComponent(anchor),
    }
  })
}

export const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** The text of a page without tags. */
export const textOf = (body: string): string => unescaped(body.replace(/<[^>]*>/g, ''))

/**
 * The faults of the pages: violations of their content security policy or of accessibility rules,
 * dead links and excessive sizes.
 */
export function faultsOf(pages: ReadonlyMap<string, string>): readonly string[] {
  return [...pages].flatMap(([name, body]) => pageFaults(body, pages).map((fault) => `${name || 'index'}: ${fault}`))
}

function pageFaults(body: string, pages: ReadonlyMap<string, string>): readonly string[] {
  const faults: string[] = []
  const check = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  const tags = [...body.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>/g)]
  check(Buffer.byteLength(body) <= 60_000, `it has ${Buffer.byteLength(body)} bytes, but at most 60,000 are allowed`)
  check(body.startsWith('<!doctype html>\n<html lang="en">'), 'it has no doctype or language')
  for (const [tag, , attributes = ''] of tags) {
    check(
      !/\s(?:style|on[a-z]+)[=\s>]/.test(`${attributes} `.replace(/="[^"]*"/g, '=')),
      `${tag} has an inline style or handler`,
    )
    check(!/(?:href|src)="(?:javascript|data|vbscript):/i.test(tag), `${tag} links to a script`)
  }
  const allowed = [
    'a',
    'blockquote',
    'body',
    'br',
    'caption',
    'code',
    'dd',
    'details',
    'div',
    'dl',
    'dt',
    'em',
    'footer',
    'form',
    'h1',
    'h2',
    'h3',
    'head',
    'header',
    'hr',
    'html',
    'input',
    'label',
    'li',
    'link',
    'main',
    'meta',
    'nav',
    'ol',
    'p',
    'pre',
    's',
    'script',
    'small',
    'span',
    'strong',
    'summary',
    'table',
    'tbody',
    'td',
    'th',
    'thead',
    'time',
    'title',
    'tr',
    'ul',
  ]
  for (const [, tag = ''] of body.matchAll(/<([^\s>/!]+)/g)) check(allowed.includes(tag), `it has <${tag}>`)
  check(
    (body.match(/<script\b/g) ?? []).length === 1 && body.includes('<script src="'),
    'it must have exactly one script, from a file',
  )
  const ids = [...body.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => unescaped(id))
  check(new Set(ids).size === ids.length, `ids are repeated: ${ids.filter((id, at) => ids.indexOf(id) !== at).join()}`)
  check(
    ids.every((id) => id !== '' && !/\s/.test(id)),
    'an id is empty or has a space',
  )
  for (const { href, page, anchor } of linksOf(body)) {
    if (/^(?:[a-z]+:|\.?\/?\.\.\/)/i.test(href)) continue
    const target = page === undefined ? body : pages.get(page)
    check(target !== undefined, `"${href}" leads to no page`)
    check(
      anchor === undefined ||
        target === undefined ||
        [...target.matchAll(/\sid="([^"]*)"/g)].some(([, id = '']) => unescaped(id) === anchor),
      `"${href}" leads to no anchor`,
    )
  }
  const levels = [...body.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level))
  const main = levels.slice(levels.indexOf(1))
  check(levels.filter((level) => level === 1).length === 1, 'it must have exactly one h1')
  check(
    main.every((level, at) => at === 0 || level <= (main[at - 1] as number) + 1),
    `its headings skip a level: ${main.join()}`,
  )
  check(
    !/<table>(?!<caption>)(?!\s*<thead>)/.test(body.replace(/<div dir="auto">[\s\S]*?<\/div>/g, '')),
    'a table has no caption',
  )
  check(!/<th(?![^>]*scope=)[\s>]/.test(body), 'a header cell has no scope')
  for (const tag of [
    'div',
    'table',
    'tbody',
    'tr',
    'td',
    'th',
    'ul',
    'ol',
    'li',
    'p',
    'a',
    'code',
    'pre',
    'dl',
    'details',
    'nav',
    'main',
    'strong',
    'small',
  ])
    check(
      (body.match(new RegExp(`<${tag}[\\s>]`, 'g')) ?? []).length ===
        (body.match(new RegExp(`</${tag}>`, 'g')) ?? []).length,
      `<${tag}> is not closed`,
    )
  return faults
}
