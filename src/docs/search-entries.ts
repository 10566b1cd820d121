/** The pages and sections that the search finds, as data for the search script. */
import { clauses } from '../clauses.js'
import { problemKinds } from '../problem-kinds.js'
import type { FixedPage } from './layout.js'
import { isWorthListing, summaryOf } from './operation-block.js'
import type { Site } from './site.js'
import { typeAnchor } from './tag-page.js'

/** A title, the URL of its target relative to the folder of the pages, and further search terms. */
type Entry = readonly [title: string, address: string, words: string]

/**
 * Returns a script that passes the entries to the search script. The entries are served as a
 * script, because the `Content-Security-Policy` of the pages does not allow `fetch`.
 */
export function searchScript(site: Site, fixed: readonly FixedPage[]): string {
  return `globalThis.docsEntries = ${JSON.stringify(entriesOf(site, fixed))}\n`
}

function entriesOf({ tags }: Site, fixed: readonly FixedPage[]): readonly Entry[] {
  const ofTags = tags.flatMap(({ name, slug, operations, types }): readonly Entry[] => {
    const page = encodeURIComponent(slug)
    return [
      [name, page, ''],
      ...operations
        .filter(isWorthListing)
        .map(
          (one): Entry => [summaryOf(one), `${page}#${encodeURIComponent(one.anchor)}`, `${one.method} ${one.path}`],
        ),
      ...types.map((type): Entry => [type, `${page}#${encodeURIComponent(typeAnchor(type))}`, 'type']),
    ]
  })
  return [
    ...ofTags,
    ...fixed.map(({ name, title }): Entry => [title, name, '']),
    ...Object.entries(problemKinds).map(
      ([code, { clause, title }]): Entry => [code, `problems#${clause}-${code}`, title],
    ),
    ...Object.entries(clauses).map(([id, { title }]): Entry => [`${id}: ${title}`, `clauses#${id}`, 'clause']),
  ]
}
