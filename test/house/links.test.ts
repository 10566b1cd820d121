/**
 * Every relative link of the pages leads to a file of the repository. If the link has an anchor,
 * the file has that anchor.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const inFolder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
const pages = [...readdirSync(root), ...inFolder('docs'), ...inFolder('examples')].filter((name) =>
  name.endsWith('.md'),
)
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')
const withoutCode = (text: string): string =>
  text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''))

/** The anchors of a page: those that GitHub generates from its headings, and the explicit ones. */
function anchorsOf(page: string): ReadonlySet<string> {
  const found = new Set<string>()
  const counts = new Map<string, number>()
  const text = textOf(page).replace(/^```.*?^```$/gms, '')
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-')
    const known = counts.get(slug) ?? 0
    counts.set(slug, known + 1)
    found.add(known === 0 ? slug : `${slug}-${known}`)
  }
  for (const [, id = ''] of text.matchAll(/<a id="([^"]+)">/g)) found.add(id)
  return found
}

const links = pages.flatMap((page) =>
  [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ page, target })),
)
const isLocal = ({ target }: { readonly target: string }): boolean => !/^[a-z]+:/.test(target)

describe('links of the pages', () => {
  it('include more than 100 local links', () => {
    expect(links.filter(isLocal).length).toBeGreaterThan(100)
  })

  it.each(links.filter(isLocal).map(({ page, target }) => [page, target] as const))(
    '%s: the target %s exists',
    (page, target) => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : relative(root, resolve(root, dirname(page), path))
      expect(existsSync(join(root, file)), `${file} exists`).toBe(true)
      if (anchor === undefined) return
      expect(statSync(join(root, file)).isFile(), `${file} is a page`).toBe(true)
      expect([...anchorsOf(file)], `the anchor in ${file}`).toContain(anchor)
    },
  )

  it('every page of docs is at most two links away from README.md', () => {
    const reached = new Set(['README.md'])
    for (let i = 0; i < 2; i++) {
      const before = new Set(reached)
      for (const { page, target } of links.filter(isLocal))
        if (before.has(page)) reached.add(relative(root, resolve(root, dirname(page), target.split('#')[0] ?? '')))
    }
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([])
  })
})
