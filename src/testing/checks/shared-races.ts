/** Attaching and reading while others write. */
import type { ParentKey } from '../../adapters/contract.js'
import { type Check, rounds, upTo } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import type { Row } from '../row.js'

const parent = (as: string, key = 'ann'): ParentKey => ({ collection: 'clients', key, as })

export const sharedRaces: readonly Check[] = [
  {
    id: 'races/attach',
    title: 'Of many attaches by a member with one version, to different parents, exactly one succeeds.',
    on: 'contracts',
    needs: ['attach'],
    async run(stage) {
      for (const round of upTo(rounds)) {
        const { version } = await stage.stored('C-0')
        const ids = upTo(8).map((i) => `r${round}-${i}`)
        const answers = await Promise.all(ids.map((id, peer) => stage.attach(parent('contracts', id), 'C-0', version, { peer })))
        expectEqual([...answers].sort(), ['attached', ...upTo(7).map(() => 'stale')], 'the answers')
        const holder = (await stage.stored('C-0')).value.holder
        expectEqual(holder, ids[answers.indexOf('attached')], 'the parent that holds the record')
      }
    },
  },
  {
    id: 'races/attach-remove',
    title: 'A record is never attached and gone: whatever takes its key is under no parent.',
    on: 'contracts',
    needs: ['attach', 'remove', 'create'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        for (const round of upTo(rounds)) {
          const record = { ...stage.record(1), code: `R-${as}-${round}` }
          await stage.created(record)
          const answers = await Promise.all(
            upTo(8).map<Promise<unknown>>((peer) =>
              peer === round % 8
                ? stage.remove(record.code, undefined, { peer })
                : stage.attach(parent(as), record.code, undefined, { peer }),
            ),
          )
          expectEqual(answers[round % 8], 'removed', 'the answer of remove()')
          expectThat(
            answers.every((answer) => answer !== 'stale'),
            "'attached' or 'absent' of attach()",
            answers,
          )
          expectEqual(await stage.keys({ parent: parent(as) }), [], 'what is under the parent after the remove')
          expectEqual(await stage.read(record.code), undefined, 'what is read after the remove')
          await stage.created(record)
          expectEqual(await stage.keys({ parent: parent(as) }), [], 'what is under the parent after a re-creation')
        }
      }
    },
  },
  {
    id: 'races/whole-records',
    title: 'A list or read beside writes gives a record as it was before or after a write, never torn.',
    on: 'any',
    needs: ['replace'],
    async run(stage) {
      const record = stage.record()
      const [key, text] = [stage.key(record), stage.keyText(record)]
      const allowed = new Set([record, ...upTo(40).map((n) => stage.change(record, n))].map((value) => stage.identity(value)))
      const check = (value: Row | undefined) => {
        expectThat(value !== undefined && allowed.has(stage.identity(value)), 'one of the values that were written', value)
      }
      await Promise.all([
        (async () => {
          for (const n of upTo(40)) await stage.replaced(key, stage.change(record, n))
        })(),
        ...upTo(4).map(async (peer) => {
          for (const _ of upTo(10)) {
            check((await stage.all({}, { peer }, 100)).find(({ value }) => stage.keyText(value) === text)?.value)
            check((await stage.read(key, { peer }))?.value)
          }
        }),
      ])
    },
  },
  {
    id: 'races/total',
    title: 'The items of a page and its total are of one consistent state.',
    on: 'any',
    needs: ['total', 'create', 'remove'],
    async run(stage) {
      let writing = true
      // Many steps down, then as many up: a count taken some writes later never agrees by chance, as it would where one record comes and goes.
      const rewrite = async () => {
        const records = stage.held.slice(0, 20)
        for (const _ of upTo(2)) {
          for (const record of records) await stage.remove(stage.key(record), undefined, { peer: 1 })
          for (const record of records) await stage.created(record, { peer: 1 })
        }
      }
      const look = async () => {
        while (writing) {
          const { items, total } = await stage.list({ size: 1000 })
          expectEqual(total, items.length, 'the total of a page that holds everything')
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
    title: 'What is created with attachTo is never there without being attached.',
    on: 'contracts',
    needs: ['create', 'attach'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        const codes = upTo(30).map((i) => `A-${as}-${i}`)
        let writing = true
        const write = async () => {
          for (const code of codes) await stage.created({ ...stage.record(1), code }, { peer: 1, call: { attachTo: parent(as) } })
        }
        const done = () => {
          writing = false
        }
        const look = async (peer: number) => {
          while (writing) {
            const seen = (await stage.readAll(codes, { peer })).flatMap((item) => (item === undefined ? [] : [item.value]))
            const under = new Set(await stage.keys({ parent: parent(as) }, { peer }))
            const missing = seen.filter(({ code, holder }) => !under.has(code as string) || (as === 'contracts' && holder !== 'ann'))
            expectEqual(missing, [], `what is there and not attached as ${as}`)
          }
        }
        await Promise.all([write().finally(done), look(0), look(2)])
      }
    },
  },
]
