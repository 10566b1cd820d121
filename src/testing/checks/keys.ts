/**
 * Checks of creates that a client may repeat (VERB-12): which record is kept under an id, and that
 * nothing is created twice.
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

/** The created record. Throws if there is none. */
function expectCreated(answer: Answer, what: string): Item {
  const created = createdOf(answer)
  expectThat(created !== undefined, `${what} to answer { created }`, answer)
  return created
}

/** The first create with an id, which makes a record. */
const first = async (stage: Stage, value: Row, id: string): Promise<Item> =>
  expectCreated(await stage.repeatable(value, idempotency(id)), 'create() with a new id')

/**
 * Checks that both ways to repeat, over this peer, return the record and the version of the first
 * create.
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
  expectThat(typeof recalled === 'object', 'recall() to answer what is kept', recalled)
  for (const [what, item] of [['create()', again] as const, ['recall()', recalled] as const]) {
    stage.expectValue(item, made, `what ${what} repeats`)
    expectEqual(item.version, version, `the version that ${what} repeats`)
  }
}

export const keys: readonly Check[] = [
  {
    id: 'keys/repeated',
    title:
      'A create with the id and fingerprint of an earlier one creates nothing, and answers the record and version that one answered; so does recall().',
    on: 'any',
    needs: ['create', 'recall'],
    async run(stage) {
      const before = (await stage.all()).length
      for (const [i, value] of stage.spare.entries()) {
        const made = await first(stage, value, `id-${i}`)
        stage.expectValue(made, value, 'what is created')
        await expectKept(stage, value, `id-${i}`, made, i + 1)
      }
      expectEqual((await stage.all()).length, before + stage.spare.length, 'the count of records')
    },
  },
  {
    id: 'keys/assigned',
    title: 'A create of a repeated id assigns no new key; another id, and a create without one, makes another record.',
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      const value = { text: 'once' }
      const made = await first(stage, value, 'a')
      for (const peer of upTo(3)) await expectKept(stage, value, 'a', made, peer)
      const others = [
        await first(stage, value, 'A'),
        await first(stage, value, 'b'),
        await stage.created(value),
        await stage.created(value),
      ]
      const numbers = [made, ...others].map((item) => item.value.number)
      expectEqual(new Set(numbers).size, numbers.length, 'the count of different numbers')
      expectEqual((await stage.all()).length, stage.held.length + numbers.length, 'the count of orders')
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
        expectEqual(await stage.recall(idempotency(id)), undefined, `what recall() answers for ${id}`)
    },
  },
  {
    id: 'keys/mismatched',
    title:
      "An id that was used with another fingerprint is 'mismatched', for create() and recall(), and nothing is created or forgotten.",
    on: 'any',
    needs: ['create', 'recall'],
    async run(stage) {
      const [value, other] = stage.spare as [Row, Row]
      const made = await first(stage, value, 'id')
      for (const fingerprint of ['other', 'Body', 'BODY', 'body_', 'bod', 'ybod']) {
        const answer = await stage.repeatable(other, idempotency('id', fingerprint), { peer: 1 })
        expectEqual(
          answer,
          'mismatched',
          `the answer of create() with the fingerprint ${fingerprint} where it was body`,
        )
        const recalled = await stage.recall(idempotency('id', fingerprint), { peer: 2 })
        expectEqual(
          recalled,
          'mismatched',
          `the answer of recall() with the fingerprint ${fingerprint} where it was body`,
        )
      }
      expectEqual(await stage.read(stage.key(other)), undefined, 'what is read of the other record')
      await expectKept(stage, value, 'id', made, 0)
    },
  },
  {
    id: 'keys/changed',
    title: 'The kept record is the original one, even after it has been replaced.',
    on: 'any',
    needs: ['create', 'recall', 'replace'],
    async run(stage) {
      const value = stage.fresh()
      const made = await first(stage, value, 'id')
      const { version } = await stage.replaced(stage.key(value), stage.change(value, 3), made.version)
      await expectKept(stage, value, 'id', made, 1)
      expectEqual((await stage.stored(stage.key(value))).version, version, 'the version that is stored')
    },
  },
  {
    id: 'keys/removed',
    title: 'A repeat does not restore a removed record, and still returns the original one.',
    on: 'any',
    needs: ['create', 'recall', 'remove'],
    async run(stage) {
      const value = stage.fresh()
      const made = await first(stage, value, 'id')
      await stage.remove(stage.key(value))
      await expectKept(stage, value, 'id', made, 1)
      expectEqual(await stage.read(stage.key(value)), undefined, 'what is read after the remove')
    },
  },
  {
    id: 'keys/removed-mismatched',
    title:
      "Another fingerprint is 'mismatched' also once the record has been changed or removed, for create() and recall().",
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
          `the answer of recall() ${when}`,
        )
        for (const [peer, body] of [other, value].entries()) {
          const again = await stage.repeatable(body, idempotency('id', 'other'), { peer })
          expectEqual(again, 'mismatched', `the answer of create() ${when}`)
        }
        expectEqual(await stage.read(stage.key(other)), undefined, `what is read of the other record ${when}`)
      }
      await stage.replaced(key, stage.change(value, 5))
      await expectMismatched('once the record is changed')
      await stage.remove(key)
      await expectMismatched('once the record is removed')
      expectEqual(await stage.read(key), undefined, 'what is read of the removed record')
      await stage.created(stage.change(value, 6))
      await expectMismatched('once another record has its key')
      await expectKept(stage, value, 'id', made, 0)
    },
  },
  {
    id: 'keys/names',
    title:
      'Any id of letters, digits, "-" and "_" is an id like any other, however long, also where it has a meaning in JavaScript.',
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      const long = 'x'.repeat(64)
      for (const id of ['__proto__', 'constructor', 'toString', 'null', '0', '-', '00', `${long}a`, `${long}b`]) {
        expectEqual(await stage.recall(idempotency(id)), undefined, `what recall() answers for the new id ${id}`)
        const made = await first(stage, { text: id }, id)
        await expectKept(stage, { text: id }, id, made, 1)
      }
    },
  },
  {
    id: 'keys/many',
    title: 'Many ids are kept at the same time, the first like the last.',
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      const made = await Promise.all(upTo(150).map((i) => first(stage, { text: `order ${i}` }, `id-${i}`)))
      const recalled = await Promise.all(made.map((_, i) => stage.recall(idempotency(`id-${i}`), { peer: i })))
      for (const [i, { value }] of made.entries())
        stage.expectValue(recalled[i] as Item, value, `what recall() answers for id-${i}`)
      await expectKept(stage, { text: 'order 0' }, 'id-0', made[0] as Item, 1)
    },
  },
  {
    id: 'keys/refused',
    title: 'A refused create keeps nothing: the next one with its id is processed normally.',
    on: 'any',
    needs: ['create', 'recall'],
    async run(stage) {
      const answer = await stage.repeatable(stage.record(), idempotency('id'))
      expectThat(
        typeof answer === 'object' && 'refused' in answer && answer.refused === 'duplicate',
        "{ refused: 'duplicate' }",
        answer,
      )
      expectEqual(await stage.recall(idempotency('id')), undefined, 'what recall() answers after a refusal')
      const value = stage.fresh()
      expectCreated(await stage.repeatable(value, idempotency('id', 'mended'), { peer: 1 }), 'the next create()')
      stage.expectValue(await stage.read(stage.key(value)), value, 'what is read')
    },
  },
  {
    id: 'keys/attached',
    title: 'With attachTo, a repeat attaches nothing again: a detached record stays detached.',
    on: 'contracts',
    needs: ['create', 'recall', 'attach', 'detach'],
    async run(stage) {
      for (const as of associations) {
        const attachTo = { collection: 'clients', key: 'ann', as }
        const value = { ...stage.fresh(), code: `K-${as}` }
        const ask = (peer: number) => stage.repeatable(value, idempotency(as), { peer, call: { attachTo } })
        const made = expectCreated(await ask(0), 'create()')
        expectEqual(
          await stage.keys({ parent: attachTo }),
          [value.code],
          `what is listed as ${as} after the first create`,
        )
        await stage.detach(attachTo, value.code)
        const again = expectCreated(await ask(1), 'a repeated create()')
        stage.expectValue(again, made.value, 'what is repeated')
        expectEqual(await stage.keys({ parent: attachTo }), [], `what is listed as ${as}`)
      }
    },
  },
]

export const keyRaces: readonly Check[] = [
  {
    id: 'races/keys',
    title:
      "Of many equal creates with one id exactly one record comes to be; each answer is that record, or 'running'.",
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      const before = (await stage.all()).length
      for (const round of upTo(rounds)) {
        const value = { text: `${round}` }
        await expectOne(stage, value, `id-${round}`)
        expectEqual((await stage.all()).length, before + round + 1, 'the count of orders')
      }
    },
  },
  {
    id: 'races/keys-mismatched',
    title:
      "Of creates of two bodies with one id, one body makes one record, and the other is 'mismatched' (or 'running').",
    on: 'orders',
    needs: ['create', 'recall'],
    async run(stage) {
      for (const round of upTo(rounds)) {
        await expectOneBody(stage, `id-${round}`)
        expectEqual((await stage.all()).length, stage.held.length + round + 1, 'the count of orders')
      }
    },
  },
  {
    id: 'races/keys-given',
    title: 'Equal creates of a key that their client gave are no duplicates of each other, with one id.',
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

/** Creates of two bodies with one id, at once. */
async function expectOneBody(stage: Stage, id: string): Promise<void> {
  const body = (i: number) => (i % 2 === 0 ? 'even' : 'odd')
  const answers = await Promise.all(
    upTo(12).map((i) => stage.repeatable({ text: `${id} ${body(i)}` }, idempotency(id, body(i)), { peer: i })),
  )
  const [one, ...others] = answers.map(createdOf).flatMap((item) => (item === undefined ? [] : [item.value]))
  expectThat(one !== undefined, 'one record', answers)
  for (const other of others) expectEqual(other, one, 'each record that is answered for one id')
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
    stage.expectValue({ value: again, version }, one.value, 'each of the answers')
    expectEqual(version, one.version, 'the version in each of the answers')
  }
  await expectKept(stage, value, id, one, 1)
}
