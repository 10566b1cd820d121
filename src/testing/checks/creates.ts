/** Checks of create(). */
import { type Check, upTo } from '../check.js'
import { expectEqual, expectSameSet, expectThat } from '../contract-error.js'
import { client } from '../fixtures.js'

export const creates: readonly Check[] = [
  {
    id: 'create/duplicate',
    title:
      "A create with an existing key changes nothing. The create is refused as 'duplicate', and the refusal names " +
      'the members of the key.',
    on: 'any',
    needs: ['create'],
    async run(stage) {
      const record = stage.record()
      const key = stage.key(record)
      const { version } = await stage.mustRead(key)
      const answer = await stage.create(stage.change(record, 8))
      expectThat('refused' in answer && answer.refused === 'duplicate', "{ refused: 'duplicate' }", answer)
      expectSameSet(answer.members, stage.definition.key.members, 'the members of the refusal')
      stage.expectValue(await stage.read(key), record, 'the record')
      expectEqual((await stage.read(key))?.version, version, 'the version of the record')
    },
  },
  {
    id: 'create/assigned',
    title: 'If a create omits a key that the store assigns, the new record gets a key that no other record has.',
    on: 'orders',
    needs: ['create'],
    async run(stage) {
      const taken = new Set(stage.held.map(({ number }) => number))
      for (const i of upTo(10)) {
        const { value } = await stage.mustCreate({ text: `new ${i}` }, { peer: i })
        expectThat(
          Number.isSafeInteger(value.number) && !taken.has(value.number),
          'an integer that no other order has',
          value.number,
        )
        taken.add(value.number)
        stage.expectValue(
          await stage.read(value.number),
          { number: value.number, text: `new ${i}` },
          'the record that is read',
        )
      }
    },
  },
  {
    id: 'create/assigned-not-again',
    title: 'An assigned number is not assigned again after its record was removed.',
    on: 'orders',
    needs: ['create', 'remove'],
    async run(stage) {
      const seen = new Set<unknown>()
      for (const i of upTo(5)) {
        const { value } = await stage.mustCreate({ text: 'passing' }, { peer: i })
        expectThat(!seen.has(value.number), 'a number that was never assigned before', value.number)
        seen.add(value.number)
        await stage.remove(value.number)
      }
    },
  },
  {
    id: 'create/assigned-given',
    title: 'A create can contain a key that the store would otherwise assign. The store never assigns that key later.',
    on: 'orders',
    needs: ['create'],
    async run(stage) {
      const taken = new Set(stage.held.map(({ number }) => number))
      const { value: first } = await stage.mustCreate({ text: 'first' })
      taken.add(first.number)
      const next = first.number as number
      for (const number of [next + 1, next + 2, next + 4, 1_000_000, 0, -7, 2 ** 40]) {
        stage.expectValue(
          await stage.mustCreate({ number, text: 'mine' }),
          { number, text: 'mine' },
          'the created record',
        )
        stage.expectValue(await stage.read(number), { number, text: 'mine' }, `the record that is read under ${number}`)
        taken.add(number)
      }
      for (const i of upTo(6)) {
        const { value } = await stage.mustCreate({ text: `assigned ${i}` }, { peer: i })
        expectThat(!taken.has(value.number), 'a number that no order has', value.number)
        taken.add(value.number)
      }
    },
  },
  {
    id: 'create/attached',
    title: 'With attachTo, create() also attaches the record, and only in the given association.',
    on: 'contracts',
    needs: ['create', 'attach'],
    async run(stage) {
      for (const as of ['contracts', 'invoices', 'favourites', 'archives']) {
        const record = { ...stage.fresh(), code: `N-${as}` }
        await stage.mustCreate(record, { call: { attachTo: client(as) } })
        for (const other of ['contracts', 'invoices', 'favourites', 'archives']) {
          const keys = (await stage.keys({ parent: client(other) })).filter((key) => key === record.code)
          expectEqual(
            keys,
            other === as ? [record.code] : [],
            `the list of ${other} after a create with attachTo ${as}`,
          )
        }
      }
    },
  },
  {
    id: 'create/attached-refused',
    title: 'A refused create attaches nothing.',
    on: 'contracts',
    needs: ['create', 'attach'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        const answer = await stage.create(stage.record(), { call: { attachTo: client(as) } })
        expectThat('refused' in answer, 'a refusal', answer)
        expectEqual(await stage.keys({ parent: client(as) }), [], `the list of ${as}`)
        stage.expectValue(await stage.read(stage.key(stage.record())), stage.record(), 'the record')
      }
    },
  },
  {
    id: 'create/attached-version',
    title: 'With attachTo, create() returns the record as it is after attaching, with the stored version.',
    on: 'contracts',
    needs: ['create', 'attach', 'replace'],
    async run(stage) {
      for (const as of ['contracts', 'invoices', 'favourites', 'archives']) {
        const record = { ...stage.fresh(), code: `V-${as}` }
        const { value, version } = await stage.mustCreate(record, { call: { attachTo: client(as) } })
        const stored = await stage.mustRead(record.code)
        stage.expectValue(stored, value, `the record read after a create with attachTo ${as}`)
        expectEqual(stored.version, version, `the version read after a create with attachTo ${as}`)
        await stage.mustReplace(record.code, { ...value, rank: 50 }, version)
      }
    },
  },
  {
    id: 'create/attached-whole',
    title: 'A create whose record cannot be attached is refused and creates no record.',
    on: 'contracts',
    needs: ['create', 'attach'],
    async run(stage) {
      const record = { ...stage.fresh(), code: 'W-0' }
      const leaving = await stage.create(record, { call: { attachTo: client('contracts'), scope: { holder: 'eve' } } })
      expectThat(
        'refused' in leaving && leaving.refused === 'rule',
        "{ refused: 'rule' } if attaching would move the record out of the scope",
        leaving,
      )
      expectEqual(leaving.members, ['holder'], 'the members of the refusal')
      expectEqual(await stage.read(record.code), undefined, 'the record read after a refused create')
      for (const as of ['contracts', 'favourites']) {
        for (const [i, key] of ['\0', 'ann\0', 'a\ud800'].entries()) {
          const attachTo = { collection: 'clients', key, as }
          const code = `W-${as}-${i}`
          const answer = await stage.create({ ...record, code }, { call: { attachTo } })
          expectThat('refused' in answer || 'created' in answer, 'a record or a refusal', answer)
          expectThat(
            ((await stage.read(code)) === undefined) === 'refused' in answer,
            'a stored record if create() succeeded, and none if create() was refused',
            { answer },
          )
          expectEqual(await stage.keys({ parent: attachTo }), 'created' in answer ? [code] : [], `the list of ${as}`)
        }
      }
    },
  },
]
