/**
 * Checks of creates that a client can repeat (VERB-12). Each create has an id (`idempotency.id`),
 * under which the store keeps the created record. A repeated create has the same id. It must return
 * the kept record, and must not create another one.
 */
import { type Check, rounds, upTo } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import { associations } from '../fixtures.js'
import type { Row } from '../row.js'
import type { Item, Stage } from '../stage.js'

const idempotency = (id: string, fingerprint = 'body') => ({ id, fingerprint })

type Answer = Awaited<ReturnType<Stage['repeatable']>>

const createdOf = (answer: Answer): Item | undefined =>
  typeof answer === 'object' && 'created' in answer ? answer.created : undefined

/** The created record. Throws if no record was created. */
function expectCreated(answer: Answer, what: string): Item {
  const created = createdOf(answer)
  expectThat(created !== undefined, `${what} to return { created }`, answer)
  return created
}

/** Creates a record with an id that was not used before. */
const first = async (stage: Stage, value: Row, id: string): Promise<Item> =>
  expectCreated(await stage.repeatable(value, idempotency(id)), 'create() with a new id')

/**
 * Checks that another `create()` with the same id returns the record and the version of the first
 * create, and that `recall()` returns them too. `peer` is the number of the adapter on which both
 * methods are called (see `By.peer`).
 */
async function expectKept(
  stage: Stage,
  value: Row,
  id: string,
  { value: made, version }: Item,
  peer: number,
): Promise<void> {
  const again = expectCreated(await stage.repeatable(value, idempotency(id), { peer }), 'a repeated create()')
  const recalled = await stage.recall(idempotency(id), { peer })
  expectThat(typeof recalled === 'object', 'recall() to return the kept record', recalled)
  for (const [what, item] of [['create()', again] as const, ['recall()', recalled] as const]) {
    stage.expectValue(item, made, `the kept record that ${what} returns`)
    expectEqual(item.version, version, `the kept version that ${what} returns`)
  }
}

export const keys: readonly Check[] = [
  {
    id: 'keys/repeated',
    title:
      'If a create repeats the id and fingerprint of an earlier create, no record is created. ' +
      'Both this create and recall() return the record and version of the earlier create.',
    on: 'any',
    needs: ['create', 'recall'],
    async run(stage) {
      const before = (await stage.all()).length
      for (const [i, value] of stage.spare.entries()) {
        const made = await first(stage, value, `id-${i}`)
        stage.expectValue(made, value, 'the created record')
        await expectKept(stage, value, `id-${i}`, made, i + 1)
      }
      expectEqual((await stage.all()).length, before + stage.spare.length, 'the number of records')
    },
  },
  {
    id: 'keys/assigned',
    title: 'A repeated create assigns no new key. A create with another id, or without one, creates another record.',
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      const value = { text: 'once' }
      const made = await first(stage, value, 'a')
      for (const peer of upTo(3)) await expectKept(stage, value, 'a', made, peer)
      const others = [
        await first(stage, value, 'A'),
        await first(stage, value, 'b'),
        await stage.mustCreate(value),
        await stage.mustCreate(value),
      ]
      const numbers = [made, ...others].map((item) => item.value.number)
      expectEqual(new Set(numbers).size, numbers.length, 'the number of different keys')
      expectEqual((await stage.all()).length, stage.held.length + numbers.length, 'the number of orders')
    },
  },
  {
    id: 'keys/unknown',
    title: 'recall() of an id that no create has used returns undefined.',
    on: 'any',
    needs: ['create', 'recall'],
    async run(stage) {
      await first(stage, stage.fresh(), 'known')
      for (const id of ['unknown', 'know', 'KNOWN'])
        expectEqual(await stage.recall(idempotency(id)), undefined, `the result of recall() for ${id}`)
    },
  },
  {
    id: 'keys/mismatched',
    title:
      "If an id was used with another fingerprint, create() and recall() return 'mismatched'. No record is created, " +
      'and the first record can still be recalled.',
    on: 'any',
    needs: ['create', 'recall'],
    async run(stage) {
      const [value, other] = stage.spare as [Row, Row]
      const made = await first(stage, value, 'id')
      for (const fingerprint of ['other', 'Body', 'BODY', 'body_', 'bod', 'ybod']) {
        const answer = await stage.repeatable(other, idempotency('id', fingerprint), { peer: 1 })
        expectEqual(answer, 'mismatched', `the result of create() with the fingerprint "${fingerprint}" and not "body"`)
        const recalled = await stage.recall(idempotency('id', fingerprint), { peer: 2 })
        expectEqual(
          recalled,
          'mismatched',
          `the result of recall() with the fingerprint "${fingerprint}" and not "body"`,
        )
      }
      expectEqual(await stage.read(stage.key(other)), undefined, 'the other record')
      await expectKept(stage, value, 'id', made, 0)
    },
  },
  {
    id: 'keys/changed',
    title: 'A repeated create returns the record as it was created, even after a replace.',
    on: 'any',
    needs: ['create', 'recall', 'replace'],
    async run(stage) {
      const value = stage.fresh()
      const made = await first(stage, value, 'id')
      const { version } = await stage.mustReplace(stage.key(value), stage.change(value, 3), made.version)
      await expectKept(stage, value, 'id', made, 1)
      expectEqual((await stage.mustRead(stage.key(value))).version, version, 'the stored version')
    },
  },
  {
    id: 'keys/removed',
    title: 'A repeated create does not restore a removed record, but still returns it as it was created.',
    on: 'any',
    needs: ['create', 'recall', 'remove'],
    async run(stage) {
      const value = stage.fresh()
      const made = await first(stage, value, 'id')
      await stage.remove(stage.key(value))
      await expectKept(stage, value, 'id', made, 1)
      expectEqual(await stage.read(stage.key(value)), undefined, 'the record read after the remove')
    },
  },
  {
    id: 'keys/removed-mismatched',
    title:
      "With another fingerprint, create() and recall() still return 'mismatched' after the record has been " +
      'changed or removed.',
    on: 'any',
    needs: ['create', 'recall', 'replace', 'remove'],
    async run(stage) {
      const [value, other] = stage.spare as [Row, Row]
      const key = stage.key(value)
      const made = await first(stage, value, 'id')
      const expectMismatched = async (when: string) => {
        expectEqual(
          await stage.recall(idempotency('id', 'other'), { peer: 1 }),
          'mismatched',
          `the result of recall() ${when}`,
        )
        for (const [peer, body] of [other, value].entries()) {
          const again = await stage.repeatable(body, idempotency('id', 'other'), { peer })
          expectEqual(again, 'mismatched', `the result of create() ${when}`)
        }
        expectEqual(await stage.read(stage.key(other)), undefined, `the record of the mismatched create ${when}`)
      }
      await stage.mustReplace(key, stage.change(value, 5))
      await expectMismatched('after the record was changed')
      await stage.remove(key)
      await expectMismatched('after the record was removed')
      expectEqual(await stage.read(key), undefined, 'the removed record')
      await stage.mustCreate(stage.change(value, 6))
      await expectMismatched('after a new record got the key of the removed record')
      await expectKept(stage, value, 'id', made, 0)
    },
  },
  {
    id: 'keys/names',
    title: 'Any id of letters, digits, "-" and "_" works, even a long id or a name such as "__proto__".',
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      const long = 'x'.repeat(64)
      for (const id of ['__proto__', 'constructor', 'toString', 'null', '0', '-', '00', `${long}a`, `${long}b`]) {
        expectEqual(await stage.recall(idempotency(id)), undefined, `the result of recall() for the new id ${id}`)
        const made = await first(stage, { text: id }, id)
        await expectKept(stage, { text: id }, id, made, 1)
      }
    },
  },
  {
    id: 'keys/many',
    title: 'Many ids are kept at the same time. The first is not dropped when others follow.',
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      const made = await Promise.all(upTo(150).map((i) => first(stage, { text: `order ${i}` }, `id-${i}`)))
      const recalled = await Promise.all(made.map((_, i) => stage.recall(idempotency(`id-${i}`), { peer: i })))
      for (const [i, { value }] of made.entries())
        stage.expectValue(recalled[i] as Item, value, `the result of recall() for id-${i}`)
      await expectKept(stage, { text: 'order 0' }, 'id-0', made[0] as Item, 1)
    },
  },
  {
    id: 'keys/refused',
    title: 'A refused create is not kept. The next create with the same id is processed normally.',
    on: 'any',
    needs: ['create', 'recall'],
    async run(stage) {
      const answer = await stage.repeatable(stage.record(), idempotency('id'))
      expectThat(
        typeof answer === 'object' && 'refused' in answer && answer.refused === 'duplicate',
        "{ refused: 'duplicate' }",
        answer,
      )
      expectEqual(await stage.recall(idempotency('id')), undefined, 'the result of recall() after a refusal')
      const value = stage.fresh()
      expectCreated(await stage.repeatable(value, idempotency('id', 'mended'), { peer: 1 }), 'the next create()')
      stage.expectValue(await stage.read(stage.key(value)), value, 'the record that is read')
    },
  },
  {
    id: 'keys/attached',
    title: 'A repeated create with attachTo does not attach the record again: a detached record stays detached.',
    on: 'contracts',
    needs: ['create', 'recall', 'attach', 'detach'],
    async run(stage) {
      for (const as of associations) {
        const attachTo = { collection: 'clients', key: 'ann', as }
        const value = { ...stage.fresh(), code: `K-${as}` }
        const ask = (peer: number) => stage.repeatable(value, idempotency(as), { peer, call: { attachTo } })
        const made = expectCreated(await ask(0), 'create()')
        expectEqual(await stage.keys({ parent: attachTo }), [value.code], `the list of ${as} after the first create`)
        await stage.detach(attachTo, value.code)
        const again = expectCreated(await ask(1), 'a repeated create()')
        stage.expectValue(again, made.value, 'the repeated record')
        expectEqual(await stage.keys({ parent: attachTo }), [], `the list of ${as}`)
      }
    },
  },
]

export const keyRaces: readonly Check[] = [
  {
    id: 'races/keys',
    title:
      'If many equal creates with the same id run concurrently, exactly one record is created. Each create returns ' +
      "that record or 'running'.",
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      const before = (await stage.all()).length
      for (const round of upTo(rounds)) {
        const value = { text: `${round}` }
        await expectOne(stage, value, `id-${round}`)
        expectEqual((await stage.all()).length, before + round + 1, 'the number of orders')
      }
    },
  },
  {
    id: 'races/keys-mismatched',
    title:
      'If concurrent creates have one id but two bodies, only one body creates a record. Creates with the other body ' +
      "return 'mismatched' or 'running'.",
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      for (const round of upTo(rounds)) {
        await expectOneBody(stage, `id-${round}`)
        expectEqual((await stage.all()).length, stage.held.length + round + 1, 'the number of orders')
      }
    },
  },
  {
    id: 'races/keys-given',
    title:
      'Concurrent equal creates with the same id and the same record key are not refused as duplicates of each other.',
    on: 'any',
    needs: ['create', 'recall', 'remove'],
    async run(stage) {
      const value = stage.fresh()
      for (const round of upTo(rounds)) {
        await expectOne(stage, value, `id-${round}`)
        await stage.remove(stage.key(value))
      }
    },
  },
]

/**
 * Runs concurrent creates with one id and two different bodies. Only one of the bodies may create a
 * record.
 */
async function expectOneBody(stage: Stage, id: string): Promise<void> {
  const body = (i: number) => (i % 2 === 0 ? 'even' : 'odd')
  const answers = await Promise.all(
    upTo(12).map((i) => stage.repeatable({ text: `${id} ${body(i)}` }, idempotency(id, body(i)), { peer: i })),
  )
  const [one, ...others] = answers.map(createdOf).flatMap((item) => (item === undefined ? [] : [item.value]))
  expectThat(one !== undefined, 'one record', answers)
  for (const other of others) expectEqual(other, one, 'each record returned for one id')
  for (const [i, answer] of answers.entries()) {
    const isOther = one.text !== `${id} ${body(i)}`
    const fits = answer === 'running' || (isOther ? answer === 'mismatched' : createdOf(answer) !== undefined)
    expectThat(fits, isOther ? "'mismatched' or 'running' for the other body" : "the record, or 'running'", answer)
  }
}

async function expectOne(stage: Stage, value: Row, id: string): Promise<void> {
  const answers = await Promise.all(upTo(12).map((peer) => stage.repeatable(value, idempotency(id), { peer })))
  const made = answers.flatMap((answer) => createdOf(answer) ?? [])
  expectThat(
    made.length > 0 && answers.every((answer) => answer === 'running' || createdOf(answer)),
    "the record, or 'running'",
    answers,
  )
  const [one, ...others] = made as [Item, ...Item[]]
  for (const { value: again, version } of others) {
    stage.expectValue({ value: again, version }, one.value, 'the record in each result')
    expectEqual(version, one.version, 'the version in each result')
  }
  await expectKept(stage, value, id, one, 1)
}
