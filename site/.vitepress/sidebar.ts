/**
 * The navigation of the site. After the group `Start`, it consists of the lists in docs/index.md,
 * the only file that sorts the pages into groups.
 */
import { readFileSync } from 'node:fs'

interface Group {
  readonly text: string
  readonly items: (Group | Entry)[]
}

interface Entry {
  readonly text: string
  readonly link: string
}

const index = new URL('../../docs/index.md', import.meta.url)

export function sidebar(): Group[] {
  const groups: Group[] = [
    {
      text: 'Start',
      items: [
        { text: 'Overview', link: '/' },
        { text: 'All pages and questions', link: '/docs/' },
      ],
    },
  ]
  let current = groups[0] as Group
  let purpose = current
  for (const line of readFileSync(index, 'utf8').split('\n')) {
    const [, level, heading] = /^(##|###) (.+)$/.exec(line) ?? []
    const [, text, target] = /^- \[([^\]]+)\]\(([^)]+)\): /.exec(line) ?? []
    if (level === '##') {
      current = purpose = { text: heading as string, items: [] }
      groups.push(purpose)
    } else if (level === '###') {
      current = { text: heading as string, items: [] }
      purpose.items.push(current)
    } else if (text !== undefined) current.items.push({ text, link: addressOf(target as string) })
  }
  return groups.filter(({ items }) => items.length > 0)
}

/** The address of a page on the site, from the target of a link in `docs`. */
const addressOf = (target: string): string =>
  new URL(target, 'file:///docs/').pathname.replace(/README\.md$/, '').replace(/\.md$/, '')
