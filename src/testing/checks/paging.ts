/** Checks of the totals, and of pages that are selected by offset. */
import { type Check, upTo } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import type { Where } from '../requests.js'

const urgent: readonly Where[] = [{ field: 'urgent', op: 'eq', value: true }]

export const paging: readonly Check[] = [
  {
    id: 'paging/whole',
    title: 'Adjacent pages neither repeat nor skip a record.',
    on: 'any',
    async run(stage) {
      const expected = stage.held.map((record) => stage.keyText(record)).sort()
      for (const sort of [...new Set(['', ...stage.definition.sort])]) {
        for (const size of [1, 3, stage.held.length]) {
          const found = await stage.all({ sort }, {}, size)
          expectEqual(
            found.map(({ value }) => stage.keyText(value)).sort(),
            expected,
            `the keys of all pages in the order "${sort}", with page size ${size}`,
          )
        }
      }
    },
  },
  {
    id: 'paging/past-end',
    title: 'Every page past the end is empty.',
    on: 'any',
    async run(stage) {
      const far = Number.MAX_SAFE_INTEGER
      for (const [page, size] of [
        [2, stage.held.length],
        [1000, 25],
        [2 ** 31, 1],
        [2 ** 32 + 1, 1],
        [far, 1],
      ] as const) {
        const { items, more } = await stage.list({ page, size })
        expectEqual(items, [], `page ${page} with page size ${size}`)
        expectThat(more !== true, '"more" not to be true past the end', more)
      }
    },
  },
  {
    id: 'paging/total',
    title: 'Every page reports the total number of records, even a page past the end.',
    on: 'any',
    needs: ['total'],
    async run(stage) {
      for (const [page, size] of [
        [1, 1],
        [2, 3],
        [1, 100],
        [50, 100],
      ] as const) {
        const { total, exact } = await stage.list({ page, size })
        expectThat(
          total === stage.held.length && exact !== false,
          `an exact total of ${stage.held.length} on page ${page} with page size ${size}`,
          {
            total,
            exact,
          },
        )
      }
    },
  },
  {
    id: 'paging/total-filtered',
    title: 'The total counts the records that match the conditions, and is the same on every page.',
    on: 'parcels',
    needs: ['total'],
    async run(stage) {
      const expected = stage.held.filter((record) => record.urgent).length
      for (const [page, size] of [
        [1, 2],
        [3, 4],
        [1, 100],
        [99, 5],
      ] as const) {
        expectEqual(
          (await stage.list({ where: urgent, page, size })).total,
          expected,
          `the total on page ${page} with page size ${size}`,
        )
      }
      const none: readonly Where[] = [{ field: 'label', op: 'eq', value: 'none' }]
      expectEqual((await stage.list({ where: none })).total, 0, 'the total of a list without matches')
    },
  },
  {
    id: 'paging/total-follows',
    title: 'Each create raises the total by one, and each removal lowers it by one.',
    on: 'any',
    needs: ['total', 'create', 'remove'],
    async run(stage) {
      await stage.mustCreate(stage.fresh())
      expectEqual((await stage.list()).total, stage.held.length + 1, 'the total after a create')
      for (const i of upTo(2)) await stage.remove(stage.key(stage.record(i)))
      expectEqual((await stage.list()).total, stage.held.length - 1, 'the total after two removals')
    },
  },
  {
    id: 'paging/more',
    title: 'If a page has `more`, it is true exactly when more items follow.',
    on: 'any',
    async run(stage) {
      const { length } = stage.held
      for (const [page, size] of [
        [1, 1],
        [1, length - 1],
        [1, length],
        [1, 100],
        [length, 1],
        [length - 1, 1],
      ] as const) {
        const { more } = await stage.list({ page, size })
        if (more !== undefined) expectEqual(more, page * size < length, `"more" of page ${page} with page size ${size}`)
      }
    },
  },
]
