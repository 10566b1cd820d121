/**
 * docs/index.md lists every page once, under the purpose of the page. docs/decisions.md lists its
 * own parts.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const docs = new URL('../../docs/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, docs), 'utf8')
const headings = (text: string): readonly string[] =>
  [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)

describe('docs/index.md', () => {
  const index = read('index.md')

  it('groups the pages by purpose, and ends with common questions', () => {
    expect(headings(index)).toEqual(['Tutorials', 'How-to guides', 'Reference', 'Explanation', 'Common questions'])
  })

  it('lists every page once, with a sentence about it', () => {
    const listed = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\): .{20,}\.$/gm)].map(([, target = '']) => target)
    const pages = readdirSync(docs).filter((name) => name.endsWith('.md') && name !== 'index.md')
    expect(listed.filter((target) => !target.startsWith('../')).toSorted()).toEqual(pages)
  })

  it('answers at least forty questions, each with a link', () => {
    const rows = [...index.matchAll(/^\| (.+\?) \| (.+) \|$/gm)]
    expect(rows.length).toBeGreaterThanOrEqual(40)
    for (const [, question, answer] of rows) expect(answer, question).toMatch(/\]\(/)
  })
})

describe('docs/decisions.md', () => {
  it('begins with an index of its parts', () => {
    const text = read('decisions.md')
    const listed = [...text.slice(0, text.indexOf('\n## ')).matchAll(/^- \[([^\]]+)\]\(#/gm)].map(([, name]) => name)
    expect(listed).toEqual(headings(text))
  })
})
