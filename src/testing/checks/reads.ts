/** Checks of read(). */
import { type Check, upTo } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'

export const reads: readonly Check[] = [
  {
    id: 'reads/order',
    title:
      'read() accepts many keys and returns the records in the order of the keys, with undefined for each key ' +
      'that has no record.',
    on: 'any',
    async run(stage) {
      const missing = stage.key(stage.fresh())
      const records = [...stage.held.slice(0, 5)].reverse()
      const keys = records.map((record) => stage.key(record))
      const found = await stage.readAll([missing, ...keys.slice(0, 2), missing, ...keys.slice(2)])
      const expected = [undefined, ...records.slice(0, 2), undefined, ...records.slice(2)]
      for (const [i, record] of expected.entries()) {
        if (record === undefined) expectThat(found[i] === undefined, `undefined at index ${i}`, found[i])
        else stage.expectValue(found[i], record, `the record at index ${i}`)
      }
    },
  },
  {
    id: 'reads/duplicates',
    title: 'If a key occurs several times in a batch, its record is returned each time.',
    on: 'any',
    async run(stage) {
      const [a, b] = [stage.record(0), stage.record(1)]
      const found = await stage.readAll([a, b, a, a].map((record) => stage.key(record)))
      for (const [i, record] of [a, b, a, a].entries()) stage.expectValue(found[i], record, `the record at index ${i}`)
    },
  },
  {
    id: 'reads/many',
    title:
      'A batch can have hundreds of keys, with missing records and duplicates: each result has the index of its key.',
    on: 'parcels',
    async run(stage) {
      const holes = upTo(120).map((i) => `none-${i}`)
      const codes = stage.held.map(({ code }) => code as string)
      const keys = [...holes, ...codes, ...holes, ...[...codes].reverse(), 'none']
      const found = await stage.readAll(keys)
      const records = new Map(stage.held.map((record) => [record.code, record]))
      for (const [i, key] of keys.entries()) {
        const record = records.get(key)
        if (record === undefined)
          expectThat(found[i] === undefined, `undefined at index ${i} of ${keys.length} keys`, found[i])
        else stage.expectValue(found[i], record, `the record at index ${i} of ${keys.length} keys`)
      }
    },
  },
  {
    id: 'reads/thousands',
    title: 'A batch has no maximum length: tens of thousands of keys can be read at once.',
    on: 'orders',
    async run(stage) {
      for (const length of [1001, 2101, 33_000, 66_000]) {
        const far = upTo(length - 4).map((i) => 1_000_000_000 + i)
        const [first, second, ...others] = stage.held.slice(0, 4)
        const records = [first, second, ...far.map(() => undefined), ...others]
        const found = await stage.readAll(records.map((record, i) => record?.number ?? far[i - 2]))
        for (const [i, record] of records.entries()) {
          if (record !== undefined) stage.expectValue(found[i], record, `the record at index ${i} of ${length} keys`)
          else if (found[i] !== undefined) expectThat(false, `undefined at index ${i} of ${length} keys`, found[i])
        }
      }
    },
  },
  {
    id: 'reads/none',
    title: 'read() of no keys returns an empty list.',
    on: 'any',
    run: async (stage) => expectEqual(await stage.readAll([]), [], 'read([])'),
  },
  {
    id: 'reads/as-listed',
    title: 'A list and a read return the same value with the same version.',
    on: 'any',
    async run(stage) {
      const listed = await stage.all()
      expectThat(listed.length === stage.held.length, `a list of all ${stage.held.length} records`, listed.length)
      const read = await stage.readAll(listed.map(({ value }) => stage.key(value)))
      for (const [i, item] of listed.entries()) {
        stage.expectValue(read[i], item.value, 'the record that is read')
        expectEqual(read[i]?.version, item.version, 'the version that is read')
      }
    },
  },
  {
    id: 'reads/key-exact',
    title: 'Keys are compared exactly: case and spaces matter, and wildcards match only themselves.',
    on: 'parcels',
    async run(stage) {
      const known = new Set(stage.held.map(({ code }) => code))
      for (const record of stage.held) {
        const code = record.code as string
        stage.expectValue(await stage.read(code), record, `the record of key ${JSON.stringify(code)}`)
        for (const other of [
          code.toLowerCase(),
          `${code} `,
          ` ${code}`,
          code.replace('-', '_'),
          `${code.slice(0, 2)}%`,
          '',
        ]) {
          const found = known.has(other) ? undefined : await stage.read(other)
          expectThat(found === undefined, `no record of key ${JSON.stringify(other)}`, found?.value)
        }
      }
    },
  },
  {
    id: 'reads/composite',
    title: 'A composite key is an object with its members in any order; every member is compared.',
    on: 'lines',
    async run(stage) {
      for (const record of stage.held) {
        stage.expectValue(
          await stage.read({ article: record.article, order: record.order }),
          record,
          'the record that is read',
        )
      }
      for (const key of [
        { order: 9, article: 'a' },
        { order: 1, article: 'b' },
        { order: 1, article: 'a ' },
      ]) {
        await stage.expectNothing(key, `no record of key ${JSON.stringify(key)}`)
      }
    },
  },
  {
    id: 'reads/composite-near',
    title:
      'The members of a composite key are compared one by one: keys whose members give the same string when ' +
      'joined are different.',
    on: 'lines',
    needs: ['create'],
    async run(stage) {
      const parts: readonly (readonly [number, string])[] = [
        [11, 'a'],
        [1, '1a'],
        [12, 'b'],
        [2, 'b1'],
        [-12, 'c'],
        [2, 'c-1'],
        [0, 'a'],
        [0, '0'],
        [1, '0,0'],
        [2, '{"order":2}'],
      ]
      const records = parts.map(([order, article], quantity) => ({ order, article, quantity }))
      for (const record of records) await stage.mustCreate(record)
      const found = await stage.readAll(records.map((record) => stage.key(record)))
      for (const [i, record] of records.entries()) {
        stage.expectValue(found[i], record, `the record of the key ${JSON.stringify(stage.key(record))}`)
        const where = [
          { field: 'order', op: 'eq', value: record.order },
          { field: 'article', op: 'eq', value: record.article },
        ] as const
        expectEqual(await stage.keys({ where }), [stage.keyText(record)], `the keys where ${JSON.stringify(where)}`)
      }
    },
  },
  {
    id: 'reads/far-keys',
    title: 'Reading an unused integer key returns undefined, not an error, even if the store cannot hold the key.',
    on: 'orders',
    async run(stage) {
      const keys = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, -1, 2 ** 31, 2 ** 32 + 1]
      const found = await stage.readAll([...keys, 1])
      for (const [i, key] of keys.entries()) expectThat(found[i] === undefined, `undefined for ${key}`, found[i])
      stage.expectValue(found.at(-1), stage.record(0), 'the last record of the batch')
    },
  },
]
