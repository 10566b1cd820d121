/**
 * Checks of concurrent calls: reads and lists during writes, and concurrent writes by the same or
 * by different methods.
 */
import { type Check, rounds, ticks, upTo } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import { client } from '../fixtures.js'
import type { Row } from '../row.js'

export const sharedRaces: readonly Check[] = [
  {
    id: 'races/attach',
    title: 'If attach() sets a member, exactly one of many concurrent attach() calls with the same version succeeds.',
    on: 'contracts',
    needs: ['attach'],
    async run(stage) {
      for (const round of upTo(rounds)) {
        const { version } = await stage.mustRead('C-0')
        const ids = upTo(8).map((i) => `r${round}-${i}`)
        const answers = await Promise.all(
          ids.map((id, peer) => stage.attach(client('contracts', id), 'C-0', version, { peer })),
        )
        expectEqual([...answers].sort(), ['attached', ...upTo(7).map(() => 'stale')], 'the results of attach()')
        const holder = (await stage.mustRead('C-0')).value.holder
        expectEqual(holder, ids[answers.indexOf('attached')], 'the key in the member "holder"')
      }
    },
  },
  {
    id: 'races/attach-remove',
    title:
      'If attach() and remove() of one record race, its attachments are removed with the record. A new record with ' +
      'the same key is not attached.',
    on: 'contracts',
    needs: ['attach', 'remove', 'create'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        for (const round of upTo(rounds)) {
          const record = { ...stage.record(1), code: `R-${as}-${round}` }
          await stage.mustCreate(record)
          const answers = await Promise.all(
            upTo(8).map<Promise<unknown>>((peer) =>
              peer === round % 8
                ? stage.remove(record.code, undefined, { peer })
                : stage.attach(client(as), record.code, undefined, { peer }),
            ),
          )
          expectEqual(answers[round % 8], 'removed', 'the result of remove()')
          expectThat(
            answers.every((answer) => answer !== 'stale'),
            "'attached' or 'absent' from attach()",
            answers,
          )
          expectEqual(await stage.keys({ parent: client(as) }), [], 'the list of the parent after the remove')
          expectEqual(await stage.read(record.code), undefined, 'the record read after the remove')
          await stage.mustCreate(record)
          expectEqual(await stage.keys({ parent: client(as) }), [], 'the list of the parent after a re-creation')
        }
      }
    },
  },
  {
    id: 'races/whole-records',
    title: 'A list or read during writes returns each record as it was before or after a write, never a mixture.',
    on: 'any',
    needs: ['replace'],
    async run(stage) {
      const record = stage.record()
      const [key, text] = [stage.key(record), stage.keyText(record)]
      const allowed = new Set(
        [record, ...upTo(40).map((n) => stage.change(record, n))].map((value) => stage.identity(value)),
      )
      const check = (value: Row | undefined) => {
        expectThat(
          value !== undefined && allowed.has(stage.identity(value)),
          'one of the values that were written',
          value,
        )
      }
      await Promise.all([
        (async () => {
          for (const n of upTo(40)) await stage.mustReplace(key, stage.change(record, n))
        })(),
        ...upTo(4).map(async (peer) => {
          for (const round of upTo(10)) {
            // In each round, the reads start at a different time during the writes.
            await ticks((round * 3 + peer) % 7)
            check((await stage.all({}, { peer }, 100)).find(({ value }) => stage.keyText(value) === text)?.value)
            check((await stage.read(key, { peer }))?.value)
          }
        }),
      ])
    },
  },
  {
    id: 'races/total',
    title: 'The items and the total of a page come from one consistent state.',
    on: 'any',
    needs: ['total', 'create', 'remove'],
    async run(stage) {
      let writing = true
      // Removes many records, and then creates them again. With a single record, the total could be
      // right by chance, even if it were counted a few writes later than the items.
      const rewrite = async () => {
        const records = stage.held.slice(0, 20)
        for (const _ of upTo(2)) {
          for (const record of records) await stage.remove(stage.key(record), undefined, { peer: 1 })
          for (const record of records) await stage.mustCreate(record, { peer: 1 })
        }
      }
      const look = async () => {
        while (writing) {
          const { items, total } = await stage.list({ size: 1000 })
          expectEqual(total, items.length, 'the total of a page with all records')
        }
      }
      const done = () => {
        writing = false
      }
      await Promise.all([rewrite().finally(done), look(), look()])
    },
  },
  {
    id: 'races/create-attached',
    title: 'A record that is created with `attachTo` is never visible before it is attached.',
    on: 'contracts',
    needs: ['create', 'attach'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        const codes = upTo(30).map((i) => `A-${as}-${i}`)
        let writing = true
        const write = async () => {
          for (const code of codes)
            await stage.mustCreate({ ...stage.record(1), code }, { peer: 1, call: { attachTo: client(as) } })
        }
        const done = () => {
          writing = false
        }
        const look = async (peer: number) => {
          while (writing) {
            const seen = (await stage.readAll(codes, { peer })).flatMap((item) =>
              item === undefined ? [] : [item.value],
            )
            const under = new Set(await stage.keys({ parent: client(as) }, { peer }))
            const missing = seen.filter(
              ({ code, holder }) => !under.has(code as string) || (as === 'contracts' && holder !== 'ann'),
            )
            expectEqual(missing, [], `the records that exist but are not attached as ${as}`)
          }
        }
        await Promise.all([write().finally(done), look(0), look(2)])
      }
    },
  },
  {
    id: 'races/attach-replace',
    title: 'Concurrent attach() and detach() calls do not undo the changes of a replace().',
    on: 'contracts',
    needs: ['attach', 'detach', 'replace'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        for (const round of upTo(rounds * 2)) {
          const { value } = await stage.mustRead('C-0')
          const rank = 100 + round
          const moves = upTo(6).map<Promise<unknown>>((i) =>
            i % 2 === 0
              ? stage.attach(client(as, `m${i}`), 'C-0', undefined, { peer: i })
              : stage.detach(client(as, `m${i - 1}`), 'C-0', undefined, { peer: i }),
          )
          const [written] = await Promise.all([
            stage.mustReplace('C-0', { ...value, rank }, undefined, { peer: round }),
            ...moves,
          ])
          expectEqual(written.value.rank, rank, 'the rank returned by replace()')
          expectEqual(
            (await stage.mustRead('C-0')).value.rank,
            rank,
            `the rank after a replace during attach() and detach() as ${as}`,
          )
        }
      }
    },
  },
  {
    id: 'races/one-version',
    title:
      'Exactly one of several concurrent writes with the same version succeeds. This includes attach() and ' +
      'detach() if they set a member.',
    on: 'contracts',
    needs: ['create', 'attach', 'detach', 'replace', 'remove'],
    async run(stage) {
      for (const round of upTo(rounds * 2)) {
        const code = `O-${round}`
        const { value, version } = await stage.mustCreate({ ...stage.record(1), code, holder: 'ann' })
        const writes: readonly ((peer: number) => Promise<unknown>)[] = [
          (peer) => stage.replace(code, { ...value, rank: 50 }, version, { peer }),
          (peer) => stage.remove(code, version, { peer }),
          (peer) => stage.attach(client('contracts', 'eve'), code, version, { peer }),
          (peer) => stage.attach(client('invoices', 'eve'), code, version, { peer }),
          (peer) => stage.detach(client('contracts', 'ann'), code, version, { peer }),
        ]
        // In each round, a different write comes first.
        const order = upTo(10).map((i) => (i + round) % writes.length)
        const answers = await Promise.all(order.map((n, peer) => writes[n]?.(peer)))
        const won = answers.filter((answer) => answer !== 'stale' && answer !== 'absent')
        expectThat(won.length === 1, "one success, and 'stale' or 'absent' for the others", answers)
        const left = await stage.read(code)
        expectThat(
          (left === undefined) === (won[0] === 'removed'),
          'no stored record if remove() succeeded, and a stored record otherwise',
          {
            won,
            left,
          },
        )
        if (left !== undefined) expectThat(left.version !== version, 'a new version', left)
      }
    },
  },
  {
    id: 'races/neighbours',
    title: 'Concurrent writes of different records all succeed, even if the keys have the same value in one member.',
    on: 'lines',
    needs: ['create', 'replace', 'remove'],
    async run(stage) {
      const neighbours = stage.held.filter(({ order }) => order === 1)
      for (const round of upTo(rounds)) {
        const items = await stage.readAll(neighbours.map((record) => stage.key(record)))
        const next = neighbours.map((record, i) => ({ ...record, quantity: 1000 * (round + 1) + i }))
        const fresh = upTo(4).map((i) => ({ order: 1, article: `new ${round} ${i}`, quantity: i }))
        const [removed] = await Promise.all([
          stage.remove(stage.key({ order: 1, article: `new ${round - 1} 0` }), undefined, { peer: 1 }),
          ...next.map((record, i) => stage.mustReplace(stage.key(record), record, items[i]?.version, { peer: i })),
          ...fresh.map((record, i) => stage.mustCreate(record, { peer: i + 2 })),
        ])
        expectEqual(removed, round === 0 ? 'absent' : 'removed', 'remove() during writes of other records')
        const all = [...next, ...fresh]
        const found = await stage.readAll(all.map((record) => stage.key(record)))
        for (const [i, record] of all.entries())
          stage.expectValue(found[i], record, 'a record that was written concurrently')
      }
    },
  },
  {
    id: 'races/create-given',
    title:
      'Exactly one of many concurrent create() calls with the same number succeeds. The others are refused as ' +
      "'duplicate'. Numbers that are assigned at the same time differ from that number.",
    on: 'orders',
    needs: ['create'],
    async run(stage) {
      const { value: first } = await stage.mustCreate({ text: 'first' })
      for (const round of upTo(rounds)) {
        const number = (first.number as number) + 1000 * (round + 1)
        const answers = await Promise.all(
          upTo(12).map((peer) =>
            stage.create(peer % 4 === 3 ? { text: 'assigned' } : { number, text: `given ${peer}` }, { peer }),
          ),
        )
        const made = answers.flatMap((answer, peer) =>
          'created' in answer ? [{ value: answer.created.value, peer }] : [],
        )
        const given = made.filter(({ peer }) => peer % 4 !== 3)
        expectThat(made.length === given.length + 3, 'a record for each create without a number', answers)
        expectThat(given.length === 1, 'one record from the creates with the same number', answers)
        const refused = answers.flatMap((answer) => ('refused' in answer ? [answer.refused] : []))
        expectEqual(
          refused,
          upTo(8).map(() => 'duplicate'),
          'the refusals of the creates with the same number',
        )
        stage.expectValue(await stage.read(number), { number, text: `given ${given[0]?.peer}` }, 'the stored record')
      }
    },
  },
  {
    id: 'races/crowd',
    title: 'Many concurrent reads, lists and replaces settle, without a deadlock.',
    on: 'any',
    needs: ['replace'],
    async run(stage) {
      const answers = await Promise.all(
        upTo(120).map(async (i) => {
          const record = stage.record(i % stage.held.length)
          const key = stage.key(record)
          if (i % 4 === 0) return stage.mustReplace(key, stage.change(record, i), undefined, { peer: i })
          if (i % 4 === 1) return stage.list({ size: 3, sort: stage.definition.sort[0] ?? '' }, { peer: i })
          return i % 4 === 2 ? stage.readAll([key, key], { peer: i }) : stage.list({}, { peer: i })
        }),
      )
      expectEqual(answers.length, 120, 'the number of results')
    },
  },
]
