/**
 * Divides the documentation into pages. A page consists of blocks. Blocks that do not fit on a page
 * are moved to the next page, such as `orders~2`. Therefore, the page that contains an anchor is
 * known only after all blocks have been created. Until then, a placeholder stands for each link to
 * the anchor.
 */
import { type Html, html, trusted } from './html.js'

/** Maximum size of a page, in bytes. Only a page with a single block can be larger. */
export const longestPage = 60_000

/**
 * A long page is split into several pages, and each of them lists links to the others. This is the
 * space in bytes that is reserved for the list.
 */
const maxPageListBytes = 3_000

/** The space in bytes that is reserved for each link, in addition to the link's placeholder. */
const linkGrowth = 140

/** A part of a page that is never split, together with the anchors in this part. */
export interface Block {
  readonly anchors: readonly string[]
  readonly content: Html
}

/**
 * Returns a placeholder for the URL of an anchor, for use in `href`. The placeholder contains the
 * null character, which occurs nowhere else in the HTML.
 */
export const addressOf = (anchor: string): Html => trusted(`\0a${anchor}\0`)

/**
 * Returns a placeholder for the attributes of a link in a table of contents. If the target is on
 * another page, the link gets the anchor as its id, so that the anchor also exists on the page with
 * the table of contents.
 */
export const entryFor = (anchor: string): Html => trusted(`\0e${anchor}\0`)

/** One of the pages into which blocks are divided. */
export interface BlockPage {
  readonly number: number
  readonly of: number
  readonly content: Html
}

/**
 * Divides blocks into one or more pages. `frame`: the size of a page without its blocks, in bytes.
 * `urlOf` returns the URL of a page. The first page has the number 1.
 */
export function pagesOf(
  blocks: readonly Block[],
  frame: number,
  urlOf: (page: number) => string,
): readonly BlockPage[] {
  const pages = filled(blocks, longestPage - frame - maxPageListBytes)
  const homes = new Map(
    pages.flatMap((some, at) => some.flatMap(({ anchors }) => anchors.map((anchor) => [anchor, at + 1] as const))),
  )
  return pages.map((some, at) => {
    const number = at + 1
    const href = (anchor: string): string => {
      const home = homes.get(anchor) ?? 1
      return `${home === number ? '' : urlOf(home)}#${encodeURIComponent(anchor)}`
    }
    const text = some.map(({ content }) => content.toString()).join('')
    const linked = text.replace(/\0([ae])([^\0]*)\0/g, (_, kind: string, anchor: string) => {
      if (kind === 'a') return href(anchor)
      const isHere = homes.get(anchor) === number
      return html`href="${href(anchor)}"${!isHere && html` id="${anchor}"`}`.toString()
    })
    return { number, of: pages.length, content: trusted(linked) }
  })
}

function filled(blocks: readonly Block[], room: number): readonly (readonly Block[])[] {
  const pages: Block[][] = []
  let left = 0
  for (const block of blocks) {
    const size = sizeOf(block.content)
    if (pages.length === 0 || size > left) {
      pages.push([])
      left = room
    }
    left -= size
    pages.at(-1)?.push(block)
  }
  return pages.length === 0 ? [[]] : pages
}

function sizeOf(content: Html): number {
  const text = content.toString()
  return Buffer.byteLength(text) + (text.split('\0').length >> 1) * linkGrowth
}

/** Maximum size of blocks that are kept on one page, in bytes. */
const maxMergedBytes = 30_000

/**
 * Merges blocks into one block, so that they stay on one page. If the blocks are too long for that,
 * returns them unchanged.
 */
export function together(blocks: readonly Block[]): readonly Block[] {
  const content = html`${blocks.map((block) => block.content)}`
  return sizeOf(content) > maxMergedBytes ? blocks : [{ anchors: blocks.flatMap(({ anchors }) => anchors), content }]
}

/**
 * Splits rows into pieces that are short enough for a block. `maxBytes`: the maximum size of a
 * piece, in bytes. A longer row is a piece of its own.
 */
export function piecesOf(rows: readonly Html[], maxBytes = 16_000): readonly (readonly Html[])[] {
  const pieces: Html[][] = []
  let left = 0
  for (const row of rows) {
    const size = sizeOf(row)
    if (pieces.length === 0 || size > left) {
      pieces.push([])
      left = maxBytes
    }
    left -= size
    pieces.at(-1)?.push(row)
  }
  return pieces
}
