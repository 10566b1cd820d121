/**
 * Checks that each method treats a record outside the scope of a call as absent. A scope limits a
 * call to the records that have certain values.
 */
import type { Check } from '../check.js'
import { expectEqual, expectSameSet, expectThat, expectTotal } from '../contract-error.js'
import { associations, client, parcel } from '../fixtures.js'
import type { Row } from '../row.js'
import type { By, Stage } from '../stage.js'

const north: By = { call: { scope: { depot: 'north' } } }
const inside = (stage: Stage): readonly Row[] => stage.held.filter(({ depot }) => depot === 'north')
const outside = (stage: Stage): readonly Row[] => stage.held.filter(({ depot }) => depot !== 'north')

export const scope: readonly Check[] = [
  {
    id: 'scope/list',
    title: 'A list contains only records in the scope. A record with null in a member of the scope is outside of it.',
    on: 'parcels',
    async run(stage) {
      const keys = inside(stage).map((record) => stage.keyText(record))
      expectSameSet(await stage.keys({}, north), keys, 'the keys in the scope')
      const where = [{ field: 'label', op: 'in', value: outside(stage).map(({ label }) => label as string) }] as const
      const leaked = (await stage.all({ where }, north)).filter(({ value }) => value.depot !== 'north')
      expectEqual(leaked, [], 'the listed records outside of the scope')
    },
  },
  {
    id: 'scope/count',
    title: 'The total counts only records in the scope.',
    on: 'parcels',
    needs: ['total'],
    async run(stage) {
      expectEqual((await stage.list({ size: 2 }, north)).total, inside(stage).length, 'the total in the scope')
      const urgent = { where: [{ field: 'urgent', op: 'eq', value: true }], page: 90 } as const
      expectEqual(
        (await stage.list(urgent, north)).total,
        inside(stage).filter((record) => record.urgent).length,
        'the total of matching records in the scope',
      )
    },
  },
  {
    id: 'scope/read',
    title: 'A read returns undefined for a record outside of the scope.',
    on: 'parcels',
    async run(stage) {
      const found = await stage.readAll(
        stage.held.map(({ code }) => code),
        north,
      )
      for (const [i, record] of stage.held.entries()) {
        if (record.depot === 'north') stage.expectValue(found[i], record, 'a record in the scope')
        else expectThat(found[i] === undefined, 'undefined outside of the scope', found[i])
      }
    },
  },
  {
    id: 'scope/batch',
    title: 'A long batch with missing records and duplicates works in a scope as it does without one.',
    on: 'parcels',
    async run(stage) {
      const holes = Array.from({ length: 1100 }, (_, i) => `none-${i}`)
      const records = new Map(inside(stage).map((record) => [record.code, record]))
      const codes = stage.held.map(({ code }) => code as string)
      const keys = [...codes, ...holes, ...codes, ...[...codes].reverse()]
      const found = await stage.readAll(keys, north)
      for (const [i, key] of keys.entries()) {
        const record = records.get(key)
        if (record === undefined)
          expectThat(found[i] === undefined, `undefined at index ${i} of ${keys.length} keys`, found[i])
        else stage.expectValue(found[i], record, `the record at index ${i} of ${keys.length} keys`)
      }
    },
  },
  {
    id: 'scope/create',
    title: 'A created record gets the values of the scope.',
    on: 'parcels',
    needs: ['create'],
    async run(stage) {
      for (const [i, depot] of ['south', null, undefined].entries()) {
        const { depot: _depot, ...rest } = parcel(`S-${i}`)
        const expected = { ...rest, depot: 'north' }
        stage.expectValue(
          await stage.mustCreate(depot === undefined ? rest : { ...rest, depot }, north),
          expected,
          'the created record',
        )
        stage.expectValue(await stage.read(`S-${i}`, north), expected, 'the record that is read in the scope')
      }
    },
  },
  {
    id: 'scope/create-beside',
    title: 'A create does not change a record with the same key outside of the scope.',
    on: 'parcels',
    needs: ['create'],
    async run(stage) {
      const other = outside(stage)[0] as Row
      const answer = await stage.create({ ...other, label: 'mine' }, north)
      expectThat('refused' in answer || 'created' in answer, 'a record or a refusal', answer)
      stage.expectValue(
        await stage.read(other.code, { call: { scope: { depot: other.depot as string } } }),
        other,
        'the record of the other scope',
      )
    },
  },
  {
    id: 'scope/replace',
    title: "A replace of a record outside of the scope returns 'absent', with any version or without one.",
    on: 'parcels',
    needs: ['replace'],
    async run(stage) {
      for (const record of outside(stage)) {
        const { version } = await stage.mustRead(record.code)
        for (const expected of [undefined, version, 'other']) {
          expectEqual(
            await stage.replace(record.code, stage.change(record, 5), expected, north),
            'absent',
            'replace() outside of the scope',
          )
        }
        stage.expectValue(await stage.read(record.code), record, 'the record outside of the scope')
      }
      const own = inside(stage)[0] as Row
      await stage.mustReplace(own.code, stage.change(own, 6), undefined, north)
      stage.expectValue(await stage.read(own.code, north), stage.change(own, 6), 'the record in the scope')
    },
  },
  {
    id: 'scope/remove',
    title: "A remove of a record outside of the scope returns 'absent'.",
    on: 'parcels',
    needs: ['remove'],
    async run(stage) {
      for (const record of outside(stage)) {
        const { version } = await stage.mustRead(record.code)
        for (const expected of [undefined, version, 'other']) {
          expectEqual(await stage.remove(record.code, expected, north), 'absent', 'remove() outside of the scope')
        }
        stage.expectValue(await stage.read(record.code), record, 'the record outside of the scope')
      }
      expectEqual(await stage.remove(inside(stage)[0]?.code, undefined, north), 'removed', 'remove() in the scope')
    },
  },
  {
    id: 'scope/attach',
    title: 'Only records in the scope can be attached.',
    on: 'contracts',
    needs: ['attach'],
    async run(stage) {
      const other = outside(stage)[0] as Row
      for (const as of associations) {
        for (const expected of [undefined, (await stage.mustRead(other.code)).version]) {
          expectEqual(
            await stage.attach(client(as), other.code, expected, north),
            'absent',
            `attach() as ${as} outside of the scope`,
          )
        }
        expectEqual(await stage.keys({ parent: client(as) }), [], `the records attached as ${as}`)
        expectEqual(
          await stage.attach(client(as), inside(stage)[0]?.code, undefined, north),
          'attached',
          `attach() as ${as} in the scope`,
        )
      }
    },
  },
  {
    id: 'scope/detach',
    title: 'Only records in the scope can be detached.',
    on: 'contracts',
    needs: ['attach', 'detach'],
    async run(stage) {
      const other = outside(stage)[0] as Row
      for (const as of associations) {
        await stage.attach(client(as), other.code)
        expectEqual(
          await stage.detach(client(as), other.code, undefined, north),
          'absent',
          `detach() as ${as} outside of the scope`,
        )
        expectEqual(await stage.keys({ parent: client(as) }), [stage.keyText(other)], `the records attached as ${as}`)
      }
    },
  },
  {
    id: 'scope/parent',
    title: 'A list under a parent contains and counts only records in the scope.',
    on: 'contracts',
    needs: ['attach'],
    async run(stage) {
      for (const as of associations) {
        for (const record of stage.held.slice(0, 5)) await stage.attach(client(as), record.code)
        const page = await stage.list({ parent: client(as) }, north)
        expectEqual(
          page.items.map(({ value }) => value.code),
          ['C-0', 'C-2', 'C-4'],
          `the keys attached as ${as} in the scope`,
        )
        expectTotal(page, 3, `the total of records attached as ${as} in the scope`)
      }
    },
  },
  {
    id: 'scope/search',
    title: 'A search finds only records in the scope.',
    on: 'parcels',
    needs: ['search'],
    async run(stage) {
      const all = await stage.all({ search: 'quorvex' })
      expectThat(
        all.some(({ value }) => value.depot !== 'north'),
        'a search without a scope to find records of other depots',
        all.length,
      )
      const keys = (items: typeof all) => items.map(({ value }) => stage.keyText(value)).sort()
      const expected = keys(all.filter(({ value }) => value.depot === 'north'))
      expectEqual(keys(await stage.all({ search: 'quorvex' }, north)), expected, 'the keys found in the scope')
      const page = await stage.list({ search: 'quorvex' }, north)
      expectTotal(page, expected.length, 'the total of the search in the scope')
    },
  },
]
