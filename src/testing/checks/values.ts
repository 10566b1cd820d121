/** Checks that values are stored exactly or refused. */
import type { Check } from '../check.js'
import { expectThat } from '../contract-error.js'
import { parcel } from '../fixtures.js'
import type { Row } from '../row.js'
import type { Stage } from '../stage.js'

/**
 * Creates and replaces each record, and reads the stored record by key and from the list. A store
 * may refuse a value that it can't store, but must not change it.
 */
async function survive(stage: Stage, variants: readonly Row[]): Promise<void> {
  for (const [i, members] of variants.entries()) {
    const record = parcel(`V-${i}`, members)
    const answer = await stage.create(record)
    if ('refused' in answer) {
      await stage.expectNothing(record.code, 'no record stored after a refusal')
      continue
    }
    expectThat('created' in answer, 'create() to return { created }', answer)
    stage.expectValue(answer.created, record, 'the result of create()')
    await expectStored(stage, record)
    if (stage.adapter.replace === undefined) continue
    for (const other of [{ note: 'again' }, { label: 'again' }]) {
      const again = { ...record, ...other }
      await stage.mustReplace(record.code, parcel(`V-${i}`))
      stage.expectValue(await stage.mustReplace(record.code, again), again, 'the result of replace()')
      await expectStored(stage, again)
    }
  }
}

async function expectStored(stage: Stage, record: Row): Promise<void> {
  stage.expectValue(await stage.read(record.code), record, 'the record that is read')
  const { items } = await stage.list({ where: [{ field: 'code', op: 'eq', value: record.code as string }] })
  stage.expectValue(items[0], record, 'the listed record')
}

const survival = (id: string, what: string, variants: readonly Row[]): Check => ({
  id: `values/${id}`,
  title: `Values are stored exactly or refused: ${what}.`,
  on: 'parcels',
  needs: ['create'],
  run: (stage) => survive(stage, variants),
})

const texts = [
  '',
  ' ',
  ' padded ',
  '\t\r\n\v',
  '\u0001\u001f\u007f\u0085',
  '\u00a0\ufeff\u200b\u2028',
  '\ufffd\uffff',
  `it's "quoted" \\ and \\' \\n \\u0041 back\\`,
  `'; DROP TABLE parcels; --`,
  '100% of_a*b?[c]',
  '$1 $$ :name ? {} @x',
  'e\u0301 \u00e9 \u212b ﬁ ß İ',
  '\u{1F468}\u200d\u{1F469}\u200d\u{1F467} \u{1F4E6}',
  'مرحبا שלום 漢字',
  'null',
  'NaN',
  'true',
  '007',
  '1e5',
  '2024-02-29T23:59:59',
  '{"a":1}',
  '__proto__',
]

const dateTimes = [
  ...['.1234567', '.9999999', '.0000001', '.0000000', '.9999995', '.1000000'].map(
    (fraction) => `2024-03-31T02:30:00${fraction}`,
  ),
  '0001-01-01T00:00:00.0000000',
  '0099-12-31T23:59:59.9999999',
  '9999-12-31T23:59:59.9999999',
  '1969-12-31T23:59:59.9999999',
  '2024-02-29T00:00:00.0000001',
  '2024-10-27T02:30:00.0000000',
  '1582-10-10T12:00:00.0000000',
]

const numbers = [
  0,
  -0,
  0.1,
  0.1 + 0.2,
  -2.5,
  1e308,
  -1e308,
  5e-324,
  2 ** 53,
  1e21,
  1e-7,
  123_456_789.123_456_78,
  Number.MAX_VALUE,
]
const integers = [0, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53 - 2, -(2 ** 53 - 1)]

export const values: readonly Check[] = [
  {
    id: 'values/held',
    title: 'The initial records are stored exactly.',
    on: 'any',
    async run(stage) {
      for (const record of stage.held)
        stage.expectValue(await stage.read(stage.key(record)), record, 'an initial record')
    },
  },
  {
    id: 'values/created',
    title: 'A created record equals the given one: in the result, when read by key, and in the list.',
    on: 'any',
    needs: ['create'],
    async run(stage) {
      for (const record of stage.spare) {
        stage.expectValue(await stage.mustCreate(record), record, 'the result of create()')
        stage.expectValue(await stage.read(stage.key(record)), record, 'the record that is read')
        const listed = (await stage.all()).find(({ value }) => stage.keyText(value) === stage.keyText(record))
        stage.expectValue(listed, record, 'the listed record')
      }
    },
  },
  survival(
    'text',
    'text with quotes, wildcards, control characters, other scripts, and text that looks like code',
    texts.map((text) => ({ label: text, note: text, address: { street: text, postcode: null }, tags: [text, text] })),
  ),
  survival('long-text', 'a text of a million characters', [{ note: 'Ab \u{1F4E6}'.repeat(200_000) }]),
  survival('text-or-null', 'strings (the empty string is different from null)', [
    { note: '' },
    { note: null },
    { note: 'null' },
    { note: '0' },
  ]),
  survival(
    'integers',
    'integers up to 2^53-1',
    integers.map((number) => ({ pieces: number, address: { postcode: number } })),
  ),
  survival(
    'numbers',
    'doubles (a negative zero may become zero)',
    numbers.map((number) => ({ weight: number })),
  ),
  survival('booleans', 'booleans (false is different from null)', [{ urgent: false }, { urgent: true }]),
  survival(
    'date-times',
    'date-times with seven fractional digits, from the year 1 to the year 9999',
    dateTimes.map((text) => ({ collected: text })),
  ),
  survival('arrays', 'empty lists, the order of a list, repeated items, and items that look like separators', [
    ...[[], [''], ['a', 'a'], ['b', 'a'], ['a,b', '{c}', '"d"', 'NULL', '\\'], ['null'], ['[]']].map((tags) => ({
      tags,
    })),
    { tags: Array.from({ length: 1000 }, (_, i) => `tag ${i}`) },
  ]),
  survival('objects', 'null in place of an object, empty objects, and objects with null members', [
    { address: null },
    { address: { street: null, postcode: 0 } },
    { address: { street: '', postcode: null } },
    { address: {} },
  ]),
  {
    id: 'values/replaced',
    title: 'replace() stores the whole new value: members that the new value omits are removed.',
    on: 'parcels',
    needs: ['replace'],
    async run(stage) {
      const record = stage.held.find(({ address, collected }) => address !== null && collected !== null) as Row
      const { note: _note, collected: _collected, address: _address, depot: _depot, ...rest } = record
      const next = { ...rest, tags: [] }
      stage.expectValue(await stage.mustReplace(record.code, next), next, 'the result of replace()')
      stage.expectValue(await stage.read(record.code), next, 'the record that is read')
    },
  },
  {
    id: 'values/key-kept',
    title: 'replace() does not change the key of the record, even if the given value contains another key.',
    on: 'any',
    needs: ['replace'],
    async run(stage) {
      const [record, other] = [stage.record(0), stage.record(1)]
      const key = stage.key(record)
      const { members } = stage.definition.key
      const own = Object.fromEntries(members.map((member) => [member, record[member]]))
      for (const [n, foreign] of [other, stage.fresh()].entries()) {
        const next = stage.change(record, n + 1)
        const keys = Object.fromEntries(members.map((member) => [member, foreign[member]]))
        stage.expectValue(
          await stage.mustReplace(key, { ...next, ...keys }),
          { ...next, ...own },
          'the result of replace()',
        )
        stage.expectValue(await stage.read(key), { ...next, ...own }, 'the record that is read')
      }
      stage.expectValue(await stage.read(stage.key(other)), other, 'the record with the other key')
      const { length } = await stage.all()
      expectThat(length === stage.held.length, `${stage.held.length} records, as before`, length)
    },
  },
  {
    id: 'values/others-untouched',
    title: 'A write changes only the record under the given key.',
    on: 'any',
    needs: ['replace', 'remove'],
    async run(stage) {
      const [first, second, ...others] = stage.held as [Row, Row, ...Row[]]
      const next = stage.change(first, 1)
      await stage.mustReplace(stage.key(first), next)
      await stage.remove(stage.key(second))
      const left = await stage.readAll([first, second, ...others].map((record) => stage.key(record)))
      stage.expectValue(left[0], next, 'the replaced record')
      expectThat(left[1] === undefined, 'the removed record to be absent', left[1])
      for (const [i, record] of others.entries()) stage.expectValue(left[i + 2], record, 'another record')
    },
  },
]
