import { describe, expect, it } from 'vitest'
import { type PageFacts, type PageQuery, paginationHeaders } from '../../src/representation/pagination.js'

const cursor = (page: number, backwards: boolean): string => `${backwards ? 'before' : 'behind'}-${page}`
const pairs = [
  ['sort', 'a'],
  ['after', 'old'],
] as const
const seek = (backwards: boolean) => ({ values: [1], backwards })

/**
 * The links of a response. A key is a relation. Its value is the part of the URL after `offest=`
 * (the conventions' spelling).
 */
function links(
  query: Partial<PageQuery>,
  facts: PageFacts,
  cursorTo: typeof cursor | undefined = cursor,
): Record<string, string> {
  const { Link = '' } = paginationHeaders('/l', { pairs, page: 3, size: 5, first: 1, ...query }, facts, cursorTo)
  return Object.fromEntries(
    [...Link.matchAll(/<\/l\?sort=a&offest=([^>]*)>; rel="(\w+)"/g)].map(([, place, rel]) => [rel, place]),
  )
}
const forward = { seek: seek(false) }
const backward = { seek: seek(true) }

describe('paginationHeaders', () => {
  it('QUERY-7: only "next" and "prev" contain a cursor, which replaces the cursor of the request', () => {
    expect(links({}, { total: 50, count: 5 })).toEqual({
      first: '1',
      prev: '2&after=before-2',
      next: '4&after=behind-4',
      last: '10',
    })
    expect(links({ first: 0 }, { total: 50, count: 5 })).toEqual({
      first: '0',
      prev: '1&after=before-2',
      next: '3&after=behind-4',
      last: '9',
    })
    expect(links({}, { total: 50, count: 5 }, () => undefined as never)).toEqual({
      first: '1',
      prev: '2',
      next: '4',
      last: '10',
    })
  })

  it('QUERY-7: if the store reports more rows, there is a next link, regardless of the total', () => {
    expect(links({}, { total: 50, more: false, seekable: true }).next).toBeUndefined()
    expect(links({}, { total: 5, more: true, seekable: true, count: 5 })).toMatchObject({
      next: '4&after=behind-4',
      last: '1',
    })
    expect(links({}, { more: true }).next).toBe('4&after=behind-4')
    expect(links({}, { count: 5 }).next).toBe('4&after=behind-4')
    expect(links({}, { count: 4 }).next).toBeUndefined()
  })

  it('QUERY-7: the page number in the link "next" can exceed the last page', () => {
    const facts = { total: 6, more: true, seekable: true, count: 5 }
    expect(links({ ...forward, page: 9 }, facts)).toEqual({
      first: '1',
      prev: '8&after=before-8',
      next: '10&after=behind-10',
      last: '2',
    })
  })

  it('QUERY-7: a page that was read backwards has a next link, and a prev link if there are more rows', () => {
    const facts = { total: 50, seekable: true, count: 5 }
    expect(links(backward, { ...facts, more: true })).toMatchObject({
      prev: '2&after=before-2',
      next: '4&after=behind-4',
    })
    expect(links({ ...backward, page: 1 }, { ...facts, more: true })).toMatchObject({
      prev: '1&after=before-1',
      next: '2&after=behind-2',
    })
    expect(links(backward, { ...facts, more: false })).toEqual({ first: '1', next: '4&after=behind-4', last: '10' })
    expect(links({ ...backward, page: 20 }, { ...facts, more: true }).next).toBe('21&after=behind-21')
    expect(Object.keys(links({ ...backward, page: 1 }, facts))).toEqual(['first', 'next', 'last'])
    expect(Object.keys(links({ ...backward, page: 1 }, { ...facts, more: true }, () => undefined as never))).toEqual([
      'first',
      'next',
      'last',
    ])
  })

  it('QUERY-7: an empty page after a cursor has no next link, and has a prev link only if it was read forwards', () => {
    const facts = { total: 10, more: false, seekable: true, count: 0 }
    const plain = () => undefined as never
    expect(links(forward, facts, plain)).toEqual({ first: '1', prev: '2', last: '2' })
    expect(links({ ...forward, page: 9 }, facts, plain)).toEqual({ first: '1', prev: '2', last: '2' })
    expect(links(backward, facts, plain)).toEqual({ first: '1', last: '2' })
  })

  it('QUERY-7: if the store ignores the cursor, the links follow the page numbers', () => {
    expect(links(backward, { total: 15, count: 5 })).toEqual({ first: '1', prev: '2&after=before-2', last: '3' })
  })

  it('QUERY-7: a Link that is too long loses its cursors, then "last", "first", "prev" and finally "next"', () => {
    const headers = (length: number, facts: PageFacts = { total: 50, count: 5 }, page = 3) =>
      paginationHeaders('/l', { pairs: [['lote', 'x'.repeat(length)]], page, size: 5, first: 1 }, facts, () =>
        'h'.repeat(1_500),
      )
    const rels = (...args: Parameters<typeof headers>) =>
      [...(headers(...args).Link ?? '').matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel)
    expect(headers(1).Link).toContain('&after=')
    expect(headers(1_500).Link).not.toContain('&after=')
    expect(rels(1_500)).toEqual(['first', 'prev', 'next', 'last'])
    expect(rels(2_300)).toEqual(['first', 'prev', 'next'])
    expect(rels(3_000)).toEqual(['prev', 'next'])
    expect(rels(5_000)).toEqual(['next'])
    expect(rels(15_200)).toEqual(['next'])
    expect(headers(5_000).Link).toMatch(/^<\/l\?lote=x{5000}&offest=4>; rel="next"$/)
    // The last page has no link `next`, so its `prev` is kept. If no link fits, the field is
    // omitted.
    expect(rels(5_000, { total: 50, count: 5 }, 10)).toEqual(['prev'])
    expect(headers(9_000, { total: 50, count: 5 }, 10)).toEqual({ 'x-total-count': '50' })
    // Even `next` is omitted if it is so long that Node's client could not read the response.
    expect(headers(16_000)).toEqual({ 'x-total-count': '50' })
  })
})
