/**
 * Checks of the values in a scope, such as `depot: 'north'`. A record is in a scope only if its
 * members are exactly equal to all of these values. Writes must not move a record out of the scope.
 */
import type { Check } from '../check.js'
import { expectEqual, expectSameSet, expectThat, expectTotal } from '../contract-error.js'
import { associations, client, parcel } from '../fixtures.js'
import type { Row } from '../row.js'
import type { By } from '../stage.js'

const north: By = { call: { scope: { depot: 'north' } } }
/**
 * Scopes with two members, in both orders, so that a check fails if a store ignores one of the
 * members.
 */
const several: readonly By[] = [
  { call: { scope: { depot: 'north', urgent: true } } },
  { call: { scope: { urgent: true, depot: 'north' } } },
]
const ranked: readonly By[] = [
  { call: { scope: { depot: 'north', rank: 0 } } },
  { call: { scope: { rank: 0, depot: 'north' } } },
]

const isInScope = ({ depot, urgent }: Row): boolean => depot === 'north' && urgent === true
const fulfilsOne = ({ depot, urgent }: Row): boolean => (depot === 'north') !== (urgent === true)

export const scopeMembers: readonly Check[] = [
  {
    id: 'scope/several',
    title:
      'A record that has only some of the values of a scope is outside the scope: the record is not listed, ' +
      'counted or read.',
    on: 'parcels',
    async run(stage) {
      const expected = stage.held.filter(isInScope).map((record) => stage.keyText(record))
      for (const by of several) {
        expectSameSet(await stage.keys({}, by), expected, 'the keys in a scope of two members')
        expectTotal(await stage.list({ size: 2 }, by), expected.length, 'the total in a scope of two members')
        const found = await stage.readAll(
          stage.held.map(({ code }) => code),
          by,
        )
        for (const [i, record] of stage.held.entries()) {
          expectThat(
            (found[i] !== undefined) === isInScope(record),
            'exactly the records in a scope of two members',
            found[i],
          )
        }
      }
    },
  },
  {
    id: 'scope/several-written',
    title: 'A record that has only some of the values of a scope is absent for writes.',
    on: 'parcels',
    needs: ['replace', 'remove'],
    async run(stage) {
      for (const by of several) {
        for (const record of stage.held.filter(fulfilsOne)) {
          expectEqual(
            await stage.replace(record.code, stage.change(record, 5), undefined, by),
            'absent',
            'replace() outside of the scope',
          )
          expectEqual(await stage.remove(record.code, undefined, by), 'absent', 'remove() outside of the scope')
          stage.expectValue(await stage.read(record.code), record, 'the record outside of the scope')
        }
      }
    },
  },
  {
    id: 'scope/several-attached',
    title: 'A record that has only some of the values of a scope cannot be attached or detached.',
    on: 'contracts',
    needs: ['attach', 'detach'],
    async run(stage) {
      const [inside, ...outside] = ['C-0', 'C-2', 'C-3']
      for (const as of associations) {
        for (const by of ranked) {
          for (const code of outside) {
            expectEqual(
              await stage.attach(client(as), code, undefined, by),
              'absent',
              `attach() of ${code} as ${as} outside of the scope`,
            )
            await stage.attach(client(as), code)
            expectEqual(
              await stage.detach(client(as), code, undefined, by),
              'absent',
              `detach() of ${code} as ${as} outside of the scope`,
            )
          }
          expectEqual(
            await stage.attach(client(as), inside, undefined, by),
            'attached',
            `attach() as ${as} in the scope`,
          )
          expectEqual(await stage.keys({ parent: client(as) }, by), [inside], `the keys attached as ${as} in the scope`)
          for (const code of outside) await stage.detach(client(as), code)
        }
      }
    },
  },
  {
    id: 'scope/exact',
    title: 'A scope compares text exactly: case, spaces and wildcards matter.',
    on: 'parcels',
    async run(stage) {
      const codes = stage.held.map(({ code }) => code)
      for (const depot of ['North', 'NORTH', 'north ', ' north', 'n%', 'nor_h', '', 'null']) {
        const by: By = { call: { scope: { depot } } }
        expectEqual(await stage.keys({}, by), [], `the keys in the scope ${JSON.stringify(depot)}`)
        const found = (await stage.readAll(codes, by)).filter((item) => item !== undefined)
        expectEqual(found, [], `the records that are read in the scope ${JSON.stringify(depot)}`)
      }
    },
  },
  {
    id: 'scope/falsy',
    title: 'False, zero and the empty string are valid values of a scope.',
    on: 'parcels',
    async run(stage) {
      const scopes = [{ urgent: false }, { pieces: 0 }, { note: '' }, { urgent: false, pieces: 3 }] as const
      for (const scope of scopes) {
        const by: By = { call: { scope } }
        const isInside = (record: Row) => Object.entries(scope).every(([member, value]) => record[member] === value)
        const expected = stage.held.filter(isInside).map((record) => stage.keyText(record))
        expectSameSet(await stage.keys({}, by), expected, `the keys in the scope ${JSON.stringify(scope)}`)
        for (const record of stage.held) {
          const found = await stage.read(record.code, by)
          expectThat(
            (found !== undefined) === isInside(record),
            `exactly the records in the scope ${JSON.stringify(scope)}`,
            found ?? record,
          )
        }
        const outside = stage.held.find((record) => !isInside(record)) as Row
        if (stage.offers('replace')) {
          const answer = await stage.replace(outside.code, outside, undefined, by)
          expectEqual(answer, 'absent', `replace() outside of the scope ${JSON.stringify(scope)}`)
        }
        if (stage.offers('remove')) {
          const answer = await stage.remove(outside.code, undefined, by)
          expectEqual(answer, 'absent', `remove() outside of the scope ${JSON.stringify(scope)}`)
        }
        if (!stage.offers('create')) continue
        const record = parcel(`F-${scopes.indexOf(scope)}`, { urgent: true, pieces: 9, note: 'other' })
        stage.expectValue(await stage.mustCreate(record, by), { ...record, ...scope }, 'the created record')
        stage.expectValue(await stage.read(record.code), { ...record, ...scope }, 'the stored record')
      }
    },
  },
  {
    id: 'scope/replace-kept',
    title: 'A replace does not change the members of the scope, regardless of their values in the new record.',
    on: 'parcels',
    needs: ['replace'],
    async run(stage) {
      const record = stage.held.find(({ depot }) => depot === 'north') as Row
      for (const [n, depot] of ['south', null, undefined].entries()) {
        const { depot: _depot, ...rest } = stage.change(record, n + 1)
        const expected = { ...rest, depot: 'north' }
        const next = depot === undefined ? rest : { ...rest, depot }
        stage.expectValue(
          await stage.mustReplace(record.code, next, undefined, north),
          expected,
          'the result of replace()',
        )
        stage.expectValue(await stage.read(record.code), expected, 'the record that is read')
      }
    },
  },
  {
    id: 'scope/moved',
    title:
      "An attach() that would move the record out of the scope is refused as 'rule', with the name of the member. " +
      "A detach() that would do this returns 'absent'.",
    on: 'contracts',
    needs: ['attach', 'detach'],
    async run(stage) {
      const by: By = { call: { scope: { holder: 'bob' } } }
      const before = await stage.mustRead('C-8')
      const answer = await stage.attach(client('contracts'), 'C-8', undefined, by)
      const members = typeof answer === 'object' && answer.refused === 'rule' ? answer.members : answer
      expectEqual(members, ['holder'], "the members of { refused: 'rule' }")
      expectEqual(
        await stage.attach(client('contracts', 'bob'), 'C-8', undefined, by),
        'attached',
        'attach() to the same parent',
      )
      expectEqual(
        await stage.detach(client('contracts', 'bob'), 'C-8', undefined, by),
        'absent',
        'detach() that would change a member of the scope',
      )
      stage.expectValue(await stage.read('C-8'), before.value, 'the record')
      expectEqual(
        await stage.attach(client('invoices'), 'C-8', undefined, by),
        'attached',
        'attach() that changes a member that is not in the scope',
      )
    },
  },
  {
    id: 'scope/moved-stale',
    title:
      "attach() returns the first result that applies: 'absent', 'stale', 'attached' if the record is already " +
      'attached, or a refusal.',
    on: 'contracts',
    needs: ['attach'],
    async run(stage) {
      const by: By = { call: { scope: { holder: 'bob' } } }
      const before = await stage.mustRead('C-8')
      const other = client('contracts')
      expectEqual(
        await stage.attach(other, 'C-1', 'other', by),
        'absent',
        'attach() outside of the scope, with a wrong version',
      )
      expectEqual(
        await stage.attach(other, 'C-8', 'other', by),
        'stale',
        'attach() that would move the record out of the scope, with a wrong version',
      )
      const bob = client('contracts', 'bob')
      expectEqual(
        await stage.attach(bob, 'C-8', 'other', by),
        'stale',
        'attach() to the same parent, with a wrong version',
      )
      expectEqual(
        await stage.attach(bob, 'C-8', before.version, by),
        'attached',
        'attach() to the same parent, with the right version',
      )
      const answer = await stage.attach(other, 'C-8', before.version, by)
      const isRefused = typeof answer === 'object' && answer.refused === 'rule'
      expectThat(
        isRefused,
        "{ refused: 'rule' } for attach() that would move the record out of the scope, with the right version",
        answer,
      )
      const stored = await stage.mustRead('C-8')
      expectEqual(stored, before, 'the record stored afterwards')
    },
  },
]
