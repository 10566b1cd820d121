/**
 * Checks of concurrent replaces and removes (compare-and-set), and of concurrent creates. The calls
 * are spread over the adapter and its peers, which are other adapters over the same store.
 */
import { isContainer } from '../../definition/json.js'
import type { Check } from '../check.js'
import { rounds, upTo } from '../check.js'
import { expectEqual, expectSameSet, expectThat } from '../contract-error.js'
import type { Row } from '../row.js'
import type { Item, Stage } from '../stage.js'

const callers = 12

const isItem = (answer: unknown): answer is Item => isContainer(answer) && 'version' in answer

/** Makes all calls concurrently. `caller` is the number of the call. */
const together = <T>(ask: (caller: number) => Promise<T>): Promise<T[]> => Promise.all(upTo(callers).map(ask))

async function eachRound(
  stage: Stage,
  play: (record: Row, key: unknown, round: number) => Promise<void>,
): Promise<void> {
  for (const round of upTo(rounds)) {
    const record = stage.record(round % stage.held.length)
    await play(record, stage.key(record), round)
  }
}

export const races: readonly Check[] = [
  {
    id: 'races/replace',
    title:
      'Exactly one of many concurrent replace() calls with the same version succeeds. Its value is stored, and the ' +
      "others return 'stale'.",
    on: 'any',
    needs: ['replace'],
    run: (stage) =>
      eachRound(stage, async (record, key, round) => {
        const { version } = await stage.mustRead(key)
        const answers = await together((i) =>
          stage.replace(key, stage.change(record, round * callers + i), version, { peer: i }),
        )
        const won = answers.flatMap((answer, i) => (isItem(answer) ? [{ answer, i }] : []))
        expectThat(won.length === 1, 'one successful call', answers)
        expectThat(
          answers.every((answer) => isItem(answer) || answer === 'stale'),
          "'stale' from the other calls",
          answers,
        )
        const [{ answer, i }] = won as [(typeof won)[0]]
        const stored = await stage.mustRead(key)
        stage.expectValue(stored, stage.change(record, round * callers + i), 'the stored record')
        expectEqual(stored.version, answer.version, 'the stored version')
      }),
  },
  {
    id: 'races/increments',
    title:
      'No increment is lost when concurrent callers read a record, add one to a number, call replace() with the ' +
      "version that they read, and start again after 'stale'.",
    on: 'parcels',
    needs: ['replace'],
    async run(stage) {
      const code = 'P-3'
      const start = (await stage.mustRead(code)).value.pieces as number
      await together(async (peer) => {
        // A replace is stale only if another caller's replace has succeeded since the read. So no
        // caller fails more often than the other callers succeed.
        for (let done = 0, tries = 0; done < 3; tries += 1) {
          expectThat(
            tries <= callers * 3,
            'a replace to succeed eventually, with the version that was just read',
            `${tries} times 'stale'`,
          )
          const { value, version } = await stage.mustRead(code, { peer })
          if (isItem(await stage.replace(code, { ...value, pieces: (value.pieces as number) + 1 }, version, { peer })))
            done += 1
        }
      })
      expectEqual((await stage.mustRead(code)).value.pieces, start + callers * 3, 'the number after all increments')
    },
  },
  {
    id: 'races/remove',
    title: "Exactly one of many concurrent remove() calls for one record returns 'removed', the others 'absent'.",
    on: 'any',
    needs: ['remove'],
    run: (stage) =>
      eachRound(stage, async (_, key) => {
        if ((await stage.read(key)) === undefined) return
        const { version } = await stage.mustRead(key)
        const answers = await together((peer) => stage.remove(key, peer % 2 === 0 ? version : undefined, { peer }))
        expectEqual(
          [...answers].sort(),
          [...upTo(callers - 1).map(() => 'absent'), 'removed'],
          'the results of remove()',
        )
      }),
  },
  {
    id: 'races/replace-remove',
    title:
      'If replace() and remove() calls with the same version run concurrently, exactly one succeeds. A removed ' +
      'record is not restored.',
    on: 'any',
    needs: ['create', 'replace', 'remove'],
    run: (stage) =>
      eachRound(stage, async (record, key, round) => {
        const { version } = await stage.mustRead(key)
        const answers = await together<unknown>((i) =>
          (i + round) % 2 === 0
            ? stage.replace(key, stage.change(record, round * callers + i), version, { peer: i })
            : stage.remove(key, version, { peer: i }),
        )
        const won = answers.filter((answer) => isItem(answer) || answer === 'removed')
        expectThat(won.length === 1, 'one successful call', answers)
        const left = await stage.read(key)
        expectThat(
          (left === undefined) === (won[0] === 'removed'),
          'a stored record if replace() succeeded, and none if remove() succeeded',
          {
            won,
            left,
          },
        )
        if (left === undefined) await stage.mustCreate(record)
      }),
  },
  {
    id: 'races/remove-replace-any',
    title: 'A replace without a version does not restore a record that is removed at the same time.',
    on: 'any',
    needs: ['create', 'replace', 'remove'],
    run: (stage) =>
      eachRound(stage, async (record, key) => {
        await together<unknown>((i) =>
          i === 5
            ? stage.remove(key, undefined, { peer: i })
            : stage.replace(key, stage.change(record, i), undefined, { peer: i }),
        )
        await stage.expectNothing(key, 'no record after the remove')
        await stage.mustCreate(record)
      }),
  },
  {
    id: 'races/create',
    title:
      "Exactly one of many concurrent create() calls for one key succeeds. The others are refused as 'duplicate', " +
      'and the refusals name the members of the key.',
    on: 'any',
    needs: ['create', 'remove'],
    async run(stage) {
      const record = stage.fresh()
      const key = stage.key(record)
      for (const _ of upTo(rounds)) {
        const answers = await together((i) => stage.create(stage.change(record, i), { peer: i }))
        const won = answers.flatMap((answer, i) => ('created' in answer ? [i] : []))
        expectThat(won.length === 1, 'one record created', answers)
        for (const answer of answers) {
          if ('created' in answer) continue
          const members = 'refused' in answer && answer.refused === 'duplicate' ? answer.members : []
          expectSameSet(members, stage.definition.key.members, 'the members of the refusals')
        }
        stage.expectValue(await stage.read(key), stage.change(record, won[0] as number), 'the stored record')
        await stage.remove(key)
      }
    },
  },
  {
    id: 'races/assigned',
    title: 'Keys that are assigned concurrently differ from each other and from keys that clients choose.',
    on: 'orders',
    needs: ['create'],
    async run(stage) {
      const { value: first } = await stage.mustCreate({ text: 'first' })
      const next = (first.number as number) + 1
      const given: number[] = []
      for (const round of upTo(rounds)) {
        const answers = await together((peer) => {
          const text = `${round} ${peer}`
          return stage.create(peer % 3 === 0 ? { number: next + round * callers + peer, text } : { text }, { peer })
        })
        for (const [peer, answer] of answers.entries()) {
          if ('created' in answer) given.push(answer.created.value.number as number)
          else
            expectThat(
              peer % 3 === 0 && 'refused' in answer && answer.refused === 'duplicate',
              'a record with an assigned number',
              answer,
            )
        }
      }
      expectEqual(new Set(given).size, given.length, 'the number of different keys among the assigned and chosen keys')
      const expectedCount = stage.held.length + 1 + given.length
      expectEqual((await stage.all()).length, expectedCount, 'the number of orders')
    },
  },
]
