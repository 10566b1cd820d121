/**
 * Checks of lists that return the records after or before a position, instead of the records from
 * an offset. A store that never reports `seekable` passes all of these checks.
 */
import type { Scalar } from '../../adapters/contract.js'
import { type Check, upTo } from '../check.js'
import { expectEqual, expectThat, expectTotal } from '../contract-error.js'
import type { ListParts } from '../requests.js'
import type { Row } from '../row.js'
import type { By, Item, Stage } from '../stage.js'

/**
 * Reads a list page by page, forwards from its first page or backwards from its last record. Each
 * further page is read by position: forwards, after the last record found so far; backwards, before
 * the first record found so far. Calls `between` before each further page. Returns `undefined` if
 * the store can't seek in this order.
 */
async function walk(
  stage: Stage,
  parts: ListParts & { readonly sort: string },
  { backwards = false, size = 4, by = {} as By, between = async () => {} } = {},
): Promise<readonly Item[] | undefined> {
  const first = await stage.list({ ...parts, size }, by)
  if (first.seekable !== true) return undefined
  const all = backwards ? await stage.all(parts, by) : []
  const last = all.at(-1)
  // A backward walk starts from the position of the last record. No page contains this record, so
  // it is added here.
  const found: Item[] = backwards ? (last === undefined ? [] : [last]) : [...first.items]
  while (found.length > 0) {
    await between()
    const edge = (backwards ? found[0] : found.at(-1)) as Item
    const seek = { values: stage.seekPosition(edge.value, parts.sort), backwards }
    // A seek must ignore the page number.
    const page = await stage.list({ ...parts, seek, size, page: 500 }, by)
    expectThat(page.seekable === true, '"seekable" to be true on every page of a list in this order', page.seekable)
    if (backwards) found.unshift(...page.items)
    else found.push(...page.items)
    if (page.more !== undefined)
      expectThat(page.items.length === size || !page.more, 'a full page if "more" is true', page.items.length)
    if (page.items.length === 0 || page.more === false) break
    expectThat(found.length < 1000, 'fewer than 1000 records on all pages', found.length)
  }
  return found
}

const sorts = (stage: Stage): readonly string[] =>
  [...new Set(['', ...stage.definition.sort])].flatMap((sort) => (sort === '' ? [sort] : [sort, `-${sort}`]))
const keysOf = (stage: Stage, items: readonly Item[]): readonly string[] =>
  items.map(({ value }) => stage.keyText(value))

async function expectWalk(stage: Stage, sort: string, backwards: boolean): Promise<void> {
  for (const size of [1, 4]) {
    const found = await walk(stage, { sort }, { backwards, size })
    if (found === undefined) continue
    const expected = await stage.keys({ sort })
    expectEqual(
      keysOf(stage, found),
      expected,
      `the keys found by seeking ${backwards ? 'backwards' : 'forward'} with the sort "${sort}" in pages of ${size}`,
    )
  }
}

export const seek: readonly Check[] = [
  {
    id: 'seek/forward',
    title: 'In a seekable list, a forward seek returns the items after the position, also for equal values and nulls.',
    on: 'any',
    async run(stage) {
      for (const sort of sorts(stage)) await expectWalk(stage, sort, false)
    },
  },
  {
    id: 'seek/backwards',
    title: 'In a seekable list, a backward seek returns the items before the position, in the order of the list.',
    on: 'any',
    async run(stage) {
      for (const sort of sorts(stage)) await expectWalk(stage, sort, true)
    },
  },
  {
    id: 'seek/mixed',
    title: 'Seeking compares all terms of the sort, each in its direction.',
    on: 'parcels',
    async run(stage) {
      for (const sort of ['pieces,-weight', '-note,collected', 'urgent,-code', '-address.postcode,note,-pieces']) {
        for (const backwards of [false, true]) await expectWalk(stage, sort, backwards)
      }
    },
  },
  {
    id: 'seek/more',
    title:
      'After a seek, `more` says whether more items follow in the direction of the seek. The total still counts all ' +
      'records.',
    on: 'any',
    async run(stage) {
      const { seekable, total } = await stage.list()
      if (seekable !== true) return
      const keys = await stage.all()
      const seekFrom = (at: number, backwards: boolean, size: number) =>
        stage.list({ seek: { values: stage.seekPosition(keys[at]?.value as Row, ''), backwards }, size })
      const last = keys.length - 1
      for (const [at, backwards, size] of [
        [0, false, last],
        [0, false, last - 1],
        [last, false, 3],
        [last, true, last],
        [last, true, 2],
        [0, true, 3],
      ] as const) {
        const page = await seekFrom(at, backwards, size)
        const beyond = (backwards ? at : last - at) - page.items.length
        if (page.more !== undefined)
          expectEqual(page.more, beyond > 0, `"more" after ${page.items.length} items from position ${at}`)
        expectTotal(page, total, 'the total')
      }
    },
  },
  {
    id: 'seek/filtered',
    title: 'Conditions and scope apply to a seek.',
    on: 'parcels',
    async run(stage) {
      const parts = { sort: 'weight', where: [{ field: 'urgent', op: 'eq', value: true }] } as const
      const by = { call: { scope: { depot: 'north' } } }
      for (const backwards of [false, true]) {
        const found = await walk(stage, parts, { backwards, by, size: 2 })
        if (found !== undefined)
          expectEqual(keysOf(stage, found), await stage.keys(parts, by), 'the keys found by seeking')
      }
    },
  },
  {
    id: 'seek/composite',
    title: 'Seeking compares all members of a composite key.',
    on: 'lines',
    async run(stage) {
      for (const sort of ['', 'quantity', '-quantity', '-article,order']) {
        for (const backwards of [false, true]) await expectWalk(stage, sort, backwards)
      }
    },
  },
  {
    id: 'seek/parent',
    title: 'A seek under a parent returns only attached records.',
    on: 'contracts',
    needs: ['attach'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        const parent = { collection: 'clients', key: 'ann', as }
        for (const record of stage.held.slice(1, 7)) await stage.attach(parent, record.code)
        const parts = { sort: '-rank', parent }
        for (const backwards of [false, true]) {
          const found = await walk(stage, parts, { backwards, size: 2 })
          if (found !== undefined)
            expectEqual(
              keysOf(stage, found),
              await stage.keys(parts),
              `the keys found by seeking under a parent in the association ${as}`,
            )
        }
      }
    },
  },
  {
    id: 'seek/gone',
    title: 'A seek also works from a position without a record, or from the position of a removed record.',
    on: 'parcels',
    needs: ['remove'],
    async run(stage) {
      const sort = 'pieces'
      if ((await stage.list({ sort })).seekable !== true) return
      const all = await stage.all({ sort })
      const gone = all[10] as Item
      const values = stage.seekPosition(gone.value, sort)
      await stage.remove(stage.key(gone.value))
      const pages: [readonly (Scalar | null)[], boolean, readonly Item[]][] = [
        [values, false, all.slice(11, 14)],
        [values, true, all.slice(7, 10)],
        [[null, 'P-1'], false, []],
        [[Number.MIN_SAFE_INTEGER, 'P-1'], true, []],
        [[Number.MIN_SAFE_INTEGER, 'P-1'], false, all.slice(0, 3)],
      ]
      for (const [from, backwards, expected] of pages) {
        const { items } = await stage.list({ sort, seek: { values: from, backwards }, size: 3 })
        expectEqual(
          keysOf(stage, items),
          keysOf(stage, expected),
          `the keys ${backwards ? 'before' : 'after'} ${JSON.stringify(from)}`,
        )
      }
    },
  },
  {
    id: 'seek/live',
    title: 'Seeking neither repeats nor skips an unchanged record while others are created, changed and removed.',
    on: 'parcels',
    needs: ['create', 'replace', 'remove'],
    async run(stage) {
      for (const backwards of [false, true]) {
        const all = await stage.all({ sort: 'weight' })
        const passing = all.filter((_, i) => i % 3 === 0).map(({ value }) => value)
        const staying = keysOf(
          stage,
          all.filter((_, i) => i % 3 !== 0),
        )
        let n = 0
        const found = await walk(
          stage,
          { sort: 'weight' },
          {
            backwards,
            between: async () => {
              n += 1
              const [removed, changed] = [passing.pop(), passing.shift()]
              await Promise.all([
                removed && stage.remove(removed.code, undefined, { peer: n }),
                changed && stage.replace(changed.code, { ...changed, weight: n * 1000 }, undefined, { peer: n + 1 }),
                ...upTo(2).map((i) =>
                  stage.create(
                    { ...stage.record(1), code: `N-${backwards}-${n}-${i}`, weight: n * i - 3 },
                    { peer: n + i },
                  ),
                ),
              ])
            },
          },
        )
        if (found === undefined) return
        // Only the unchanged records are compared. Records that change during the walk may or may
        // not be returned.
        expectEqual(
          keysOf(stage, found).filter((key) => staying.includes(key)),
          staying,
          'the unchanged records',
        )
      }
    },
  },
]
