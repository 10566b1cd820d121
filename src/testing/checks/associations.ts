/** Checks of associations, which put records into the collections of their parents. */
import type { ParentKey } from '../../adapters/contract.js'
import type { Check, Need } from '../check.js'
import { expectEqual, expectSameSet, expectThat, expectTotal } from '../contract-error.js'
import { associations as all, client } from '../fixtures.js'
import type { Stage } from '../stage.js'

/**
 * One association in which a member of the record contains the key of the parent, and one in which
 * the store keeps a set of records for each parent.
 */
const kinds = ['contracts', 'favourites'] as const

async function expectUnder(stage: Stage, under: ParentKey, codes: readonly unknown[], when: string): Promise<void> {
  const what = `the list of ${under.as} under ${String(under.key)} ${when}`
  expectSameSet(await stage.keys({ parent: under }), codes, what)
}

async function attached(stage: Stage, under: ParentKey, ...codes: readonly string[]): Promise<void> {
  for (const code of codes)
    expectEqual(await stage.attach(under, code), 'attached', `attach() of ${code} as ${under.as}`)
}

/** A check that runs for both kinds of associations. */
const checkOfBoth = (
  id: string,
  title: string,
  needs: readonly Need[],
  run: (stage: Stage, as: string) => Promise<void>,
): Check => ({
  id: `associations/${id}`,
  title,
  on: 'contracts',
  needs,
  async run(stage) {
    for (const as of kinds) await run(stage, as)
  },
})

export const associations: readonly Check[] = [
  {
    id: 'associations/held',
    title: 'If a member of a record contains the key of a parent, the record is in the collection of that parent.',
    on: 'contracts',
    needs: ['attach'],
    async run(stage) {
      const holder = stage.held.filter((record) => record.holder === 'bob').map(({ code }) => code)
      await expectUnder(stage, client('contracts', 'bob'), holder, 'at the start')
      await expectUnder(stage, client('invoices', 'bob'), [], 'at the start')
    },
  },
  checkOfBoth(
    'listed',
    'A list with a parent contains only the records that are attached to that parent.',
    ['attach'],
    async (stage, as) => {
      await expectUnder(stage, client(as), [], 'before attach()')
      await attached(stage, client(as), 'C-0', 'C-3')
      await expectUnder(stage, client(as), ['C-0', 'C-3'], 'after attach()')
      await expectUnder(stage, client(as, 'eve'), [], 'after attach() to another parent')
    },
  ),
  checkOfBoth(
    'asked',
    'The conditions, order, pages and total of a list with a parent apply to the records of that parent.',
    ['attach'],
    async (stage, as) => {
      await attached(stage, client(as), 'C-0', 'C-1', 'C-3', 'C-4', 'C-6')
      const page = await stage.list({
        parent: client(as),
        sort: '-rank,code',
        where: [{ field: 'rank', op: 'eq', value: 0 }],
        page: 2,
        size: 2,
      })
      expectEqual(
        page.items.map(({ value }) => value.code),
        ['C-6'],
        'the second page of the records with rank 0',
      )
      expectTotal(page, 3, 'the total of the records with rank 0')
      expectEqual(
        await stage.keys({ parent: client(as), sort: '-rank' }),
        ['C-4', 'C-1', 'C-6', 'C-3', 'C-0'],
        'the keys in the order "-rank"',
      )
    },
  ),
  checkOfBoth(
    'by-value',
    'Attaching changes nothing in the record except the member that contains the key of the parent, if any.',
    ['attach'],
    async (stage, as) => {
      await attached(stage, client(as), 'C-1')
      const record = {
        ...stage.record(1),
        ...(as === 'contracts' ? { holder: 'ann' } : { holder: (await stage.mustRead('C-1')).value.holder }),
      }
      stage.expectValue(await stage.read('C-1'), record, 'the attached record')
    },
  ),
  checkOfBoth(
    'twice',
    'Attaching a record to the same parent twice is not an error and changes nothing.',
    ['attach'],
    async (stage, as) => {
      await attached(stage, client(as), 'C-2')
      const before = await stage.mustRead('C-2')
      await attached(stage, client(as), 'C-2')
      await expectUnder(stage, client(as), ['C-2'], 'after attach() twice')
      stage.expectValue(await stage.read('C-2'), before.value, 'the record')
    },
  ),
  checkOfBoth(
    'absent',
    "Attaching a record that does not exist returns 'absent', with or without a version, and attaches nothing.",
    ['attach'],
    async (stage, as) => {
      for (const expected of [undefined, 'other'])
        expectEqual(
          await stage.attach(client(as), 'none', expected),
          'absent',
          'attach() of a record that does not exist',
        )
      await expectUnder(stage, client(as), [], "after attach() returned 'absent'")
    },
  ),
  checkOfBoth(
    'detached',
    'Detaching removes a record from the collection of its parent; the record itself stays.',
    ['attach', 'detach'],
    async (stage, as) => {
      await attached(stage, client(as), 'C-0', 'C-1')
      expectEqual(await stage.detach(client(as), 'C-0'), 'detached', 'detach()')
      await expectUnder(stage, client(as), ['C-1'], 'after detach()')
      stage.expectValue(await stage.read('C-0'), stage.record(0), 'the detached record')
      expectThat(
        (await stage.keys()).includes('C-0'),
        'the detached record in the list of all records',
        await stage.keys(),
      )
    },
  ),
  checkOfBoth(
    'not-attached',
    "Detaching a record that is not attached to the given parent returns 'absent', with or without a version.",
    ['attach', 'detach'],
    async (stage, as) => {
      await attached(stage, client(as), 'C-0')
      for (const expected of [undefined, 'other']) {
        expectEqual(
          await stage.detach(client(as), 'C-1', expected),
          'absent',
          'detach() of a record that is not attached',
        )
        expectEqual(
          await stage.detach(client(as), 'none', expected),
          'absent',
          'detach() of a record that does not exist',
        )
        expectEqual(await stage.detach(client(as, 'eve'), 'C-0', expected), 'absent', 'detach() from another parent')
      }
      await expectUnder(stage, client(as), ['C-0'], "after detach() returned 'absent'")
    },
  ),
  {
    id: 'associations/moves',
    title:
      'If a member contains the key of the parent, attaching to another parent moves the record. If the store ' +
      'keeps a set of records for each parent, the record stays attached to the first parent too.',
    on: 'contracts',
    needs: ['attach'],
    async run(stage) {
      for (const as of kinds) {
        await attached(stage, client(as, 'ann'), 'C-0', 'C-1')
        await attached(stage, client(as, 'eve'), 'C-0')
        await expectUnder(
          stage,
          client(as, 'ann'),
          as === 'contracts' ? ['C-1'] : ['C-0', 'C-1'],
          'after attach() to another parent',
        )
        await expectUnder(stage, client(as, 'eve'), ['C-0'], 'after attach()')
      }
    },
  },
  {
    id: 'associations/as',
    title: 'Two associations with the same parent are distinguished by their path segments.',
    on: 'contracts',
    needs: ['attach', 'detach'],
    async run(stage) {
      for (const [i, as] of all.entries()) {
        await attached(stage, client(as), `C-${i}`)
        for (const other of all.filter((way) => way !== as)) {
          expectEqual(
            await stage.detach(client(other), `C-${i}`),
            'absent',
            `detach() as ${other} of a record attached as ${as}`,
          )
        }
      }
      for (const [i, as] of all.entries())
        await expectUnder(stage, client(as), [`C-${i}`], "after detach() returned 'absent'")
    },
  },
  checkOfBoth(
    'exact',
    'The key of a parent is compared exactly: case and spaces matter, and wildcards match only themselves.',
    ['attach', 'detach'],
    async (stage, as) => {
      await attached(stage, client(as), 'C-0', 'C-1')
      for (const near of ['Ann', 'ANN', 'ann ', ' ann', 'an_', '%', '']) {
        await expectUnder(stage, client(as, near), [], 'after attach() to "ann"')
        expectEqual(await stage.detach(client(as, near), 'C-0'), 'absent', `detach() from ${JSON.stringify(near)}`)
      }
      expectEqual(await stage.attach(client(as, 'Ann'), 'C-1'), 'attached', 'attach() to "Ann"')
      await expectUnder(stage, client(as, 'Ann'), ['C-1'], 'after attach()')
    },
  ),
  {
    id: 'associations/together',
    title: 'A record can be attached in all associations at once: attaching in one does not affect the others.',
    on: 'contracts',
    needs: ['attach', 'remove'],
    async run(stage) {
      for (const [n, order] of [all, [...all].reverse()].entries()) {
        const code = `C-${n}`
        for (const as of order) await attached(stage, client(as, `${as}-1`), code)
        for (const as of order) await expectUnder(stage, client(as, `${as}-1`), [code], 'with other associations')
        const record = { ...stage.record(n), holder: 'contracts-1', payer: 'invoices-1' }
        stage.expectValue(await stage.read(code), record, 'the record that is attached in all associations')
        for (const as of order) await attached(stage, client(as, `${as}-2`), code)
        for (const as of order) await expectUnder(stage, client(as, `${as}-2`), [code], 'with other associations')
        // The record is removed, because the next round attaches another record to the same
        // parents.
        await stage.remove(code)
      }
    },
  },
  {
    id: 'associations/detached-one',
    title: 'Detaching removes a record only from the given collection of the given parent.',
    on: 'contracts',
    needs: ['attach', 'detach'],
    async run(stage) {
      for (const as of all) await attached(stage, client(as), 'C-0')
      for (const as of ['favourites', 'archives'] as const) await attached(stage, client(as, 'eve'), 'C-0')
      for (const [i, as] of all.entries()) {
        expectEqual(await stage.detach(client(as), 'C-0'), 'detached', `detach() as ${as}`)
        for (const [k, other] of all.entries())
          await expectUnder(stage, client(other), k <= i ? [] : ['C-0'], `after detach() as ${as}`)
      }
      for (const as of ['favourites', 'archives'] as const)
        await expectUnder(stage, client(as, 'eve'), ['C-0'], 'after detach() from ann')
    },
  },
  checkOfBoth('replaced', 'A record that is replaced stays attached.', ['attach', 'replace'], async (stage, as) => {
    await attached(stage, client(as), 'C-0', 'C-1')
    const { value } = await stage.mustRead('C-0')
    await stage.mustReplace('C-0', { ...value, rank: 9 })
    await expectUnder(stage, client(as), ['C-0', 'C-1'], 'after replace()')
    const { items } = await stage.list({ parent: client(as), sort: '-rank' })
    expectEqual(items[0]?.value.rank, 9, 'the listed rank')
  }),
  checkOfBoth(
    'removed',
    'A removed record is attached to no parent, and neither is a new record with the same key.',
    ['attach', 'remove', 'create'],
    async (stage, as) => {
      await attached(stage, client(as), 'C-0', 'C-1')
      await stage.remove('C-0')
      await expectUnder(stage, client(as), ['C-1'], 'after remove()')
      expectEqual(await stage.attach(client(as), 'C-0'), 'absent', 'attach() of a removed record')
      await stage.mustCreate(stage.record(0))
      await expectUnder(stage, client(as), ['C-1'], 'after a re-creation')
    },
  ),
]
