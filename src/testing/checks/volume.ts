/** Checks of empty stores, and of stores with more than a thousand records. */
import { type Check, upTo } from '../check.js'
import { expectEqual, expectThat, show } from '../contract-error.js'
import type { Row } from '../row.js'

const many = 1100
const atOnce = 100

export const volume: readonly Check[] = [
  {
    id: 'volume/none',
    title: 'An empty store gives empty lists with a total of 0, and a record can be created in it.',
    on: 'any',
    needs: ['remove', 'create'],
    async run(stage) {
      for (const record of stage.held) expectEqual(await stage.remove(stage.key(record)), 'removed', 'remove()')
      const { sort, search } = stage.definition
      const searches = search !== undefined && stage.offers('search') ? ['', 'quorvex'] : []
      const asked = [
        {},
        { page: 2 },
        { size: 1 },
        ...sort.map((field) => ({ sort: `-${field}` })),
        ...searches.map((text) => ({ search: text })),
      ]
      for (const parts of asked) {
        const { items, total, exact, more } = await stage.list(parts)
        expectEqual(items, [], `the items of list(${JSON.stringify(parts)})`)
        if (exact !== false && (total !== undefined || stage.offers('total')))
          expectEqual(total, 0, `the total of list(${JSON.stringify(parts)})`)
        expectThat(more !== true, '"more" not to be true in an empty store', more)
      }
      expectEqual(
        (await stage.readAll(stage.held.map((record) => stage.key(record)))).filter((item) => item !== undefined),
        [],
        'the result of read() after all records were removed',
      )
      await stage.mustCreate(stage.record())
      expectEqual(await stage.keys(), [stage.keyText(stage.record())], 'the keys after a create')
    },
  },
  {
    id: 'volume/many',
    title:
      'With more than a thousand records, reading, listing, counting, filtering and seeking give correct results, ' +
      'in the right order.',
    on: 'orders',
    needs: ['create'],
    async run(stage) {
      const numbers = stage.held.map(({ number }) => number as number)
      for (const round of upTo(many / atOnce)) {
        const created = await Promise.all(
          upTo(atOnce).map((i) => stage.mustCreate({ text: `order ${round} ${i}` }, { peer: i })),
        )
        numbers.push(...created.map(({ value }) => value.number as number))
      }
      numbers.sort((a, b) => a - b)
      const expectNumbers = (came: readonly { readonly value: Row }[], expected: readonly number[], what: string) => {
        const found = came.map(({ value }) => value.number)
        expectThat(
          JSON.stringify(found) === JSON.stringify(expected),
          `${what} to be the ${expected.length} orders with the numbers ${show(expected)}`,
          found,
        )
      }
      const read = await stage.readAll([...numbers].reverse())
      expectNumbers(read as never, [...numbers].reverse(), 'the result of read()')
      const size = numbers.length + 1
      const pages = [
        [{ size }, numbers],
        [{ size: 1000 }, numbers.slice(0, 1000)],
        [{ size: 1000, page: 2 }, numbers.slice(1000)],
        [{ size: 7, page: 151 }, numbers.slice(1050, 1057)],
        [{ size, sort: '-number' }, [...numbers].reverse()],
        [{ size, where: [{ field: 'number', op: 'in', value: numbers.slice(3) }] }, numbers.slice(3)],
      ] as const
      for (const [parts, expected] of pages) {
        const { items, total, exact } = await stage.list(parts)
        expectNumbers(items, expected, `the items of list(${show(parts)})`)
        const all = 'where' in parts ? expected.length : numbers.length
        if (exact !== false && (total !== undefined || stage.offers('total')))
          expectEqual(total, all, `the total of list(${show(parts)})`)
      }
      if ((await stage.list()).seekable !== true) return
      const from = { values: [numbers[1040] as number], backwards: false }
      expectNumbers(
        (await stage.list({ seek: from, size: 20 })).items,
        numbers.slice(1041, 1061),
        'the result of a seek from the middle',
      )
      const back = { values: [numbers.at(-1) as number], backwards: true }
      expectNumbers(
        (await stage.list({ seek: back, size })).items,
        numbers.slice(0, -1),
        'the result of a backward seek from the end',
      )
    },
  },
]
