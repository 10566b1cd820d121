/** The upgrade guide from a version to its successor, as a page. */
import { type Guide, guideOf } from '../contract/upgrade-guide.js'
import { type Block, piecesOf, together } from './blocks.js'
import { html } from './html.js'
import { describedInline, type PageContext } from './layout.js'

/** The name of the page. One name is enough, because a version has only one successor. */
export const upgradePageName = 'upgrade'

/**
 * Caches the guides. A long guide is split into several pages, and must be built only once. The key
 * is the OpenAPI document of the version that clients leave.
 */
const made = new WeakMap<object, { readonly after: object; readonly guide: Guide }>()

/** Returns the upgrade guide. `after`: the OpenAPI document of the successor. */
export function upgradeOf({ site }: PageContext, from: string, to: string, after: object): Guide {
  const known = made.get(site.document)
  if (known?.after === after) return known.guide
  const guide = guideOf(site.document, after, { from, to })
  made.set(site.document, { after, guide })
  return guide
}

/** The blocks of a guide. */
export function upgradeBlocks(context: PageContext, { intro, sections }: Guide): readonly Block[] {
  const block = (content: Block['content']): Block => ({ anchors: [], content })
  const introduction = block(
    html`${intro.map(
      (text) => html`<p>${describedInline(context, text)}</p>
`,
    )}`,
  )
  return [
    introduction,
    ...sections.flatMap(({ heading, parts }) =>
      together([
        block(html`<h2>${describedInline(context, heading)}</h2>
`),
        ...parts.flatMap((part) =>
          piecesOf(
            part.items.map(
              (item) => html`<li>${describedInline(context, item)}</li>
`,
            ),
          ).map((some, at) =>
            block(html`${
              at === 0 &&
              html`<h3>${part.heading}</h3>
`
            }<ul>
${some}</ul>
`),
          ),
        ),
      ]),
    ),
  ]
}
