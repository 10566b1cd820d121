/**
 * Checks that a store never treats different strings as equal, in keys, conditions, parents and
 * scopes.
 */
import { isRefused, type ParentKey } from '../../adapters/contract.js'
import { type Check, upTo } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import { parcel } from '../fixtures.js'
import { nearTexts, oddTexts } from '../odd-texts.js'
import type { Where } from '../requests.js'
import type { Row } from '../row.js'
import type { Stage } from '../stage.js'

/** Creates the records, and returns those that the store has not refused. */
async function created(stage: Stage, records: readonly Row[]): Promise<readonly Row[]> {
  const kept: Row[] = []
  for (const [peer, record] of records.entries()) {
    const answer = await stage.create(record, { peer })
    if (!isRefused(answer)) kept.push(record)
    else
      expectThat(
        answer.refused === 'rule',
        `a record, or { refused: 'rule' }, for the new key ${JSON.stringify(record.code)}`,
        answer,
      )
  }
  return kept
}

async function expectRecords(stage: Stage, records: readonly Row[], when: string): Promise<void> {
  const found = await stage.readAll(records.map(({ code }) => code))
  for (const [i, record] of records.entries())
    stage.expectValue(found[i], record, `the record of the key ${JSON.stringify(record.code)} ${when}`)
}

async function expectDifferent(stage: Stage, texts: readonly string[]): Promise<void> {
  for (const code of texts) {
    const found = await stage.read(code)
    expectThat(found === undefined, `no record under the key ${JSON.stringify(code)}`, found)
  }
  const records = await created(
    stage,
    texts.map((code, i) => parcel(code, { pieces: i })),
  )
  await expectRecords(stage, records, 'next to similar keys')
  for (const { code } of records) {
    for (const condition of [
      { op: 'eq', value: code },
      { op: 'in', value: [code, 'none'] },
    ] as const) {
      const where = [{ field: 'code', ...condition } as Where]
      expectEqual(await stage.keys({ where }), [code], `the keys where ${JSON.stringify(where)}`)
    }
  }
  const [first, second, ...others] = records
  if (first === undefined || second === undefined) return
  if (stage.offers('replace')) {
    const next = { ...first, label: 'replaced' }
    await stage.mustReplace(first.code, next)
    await expectRecords(stage, [next, second, ...others], `after a replace of ${JSON.stringify(first.code)}`)
  }
  if (!stage.offers('remove')) return
  expectEqual(await stage.remove(first.code), 'removed', `remove() of the key ${JSON.stringify(first.code)}`)
  await expectRecords(stage, [second, ...others], `after a remove of ${JSON.stringify(first.code)}`)
}

export const texts: readonly Check[] = [
  {
    id: 'texts/keys',
    title:
      'Keys are compared by code points: collation, case folding, normalization and padding do not make ' +
      'two keys equal.',
    on: 'parcels',
    needs: ['create'],
    async run(stage) {
      for (const near of nearTexts) await expectDifferent(stage, near)
    },
  },
  {
    id: 'texts/long-keys',
    title: 'Long keys that differ only at the end are stored in full or refused, never truncated.',
    on: 'parcels',
    needs: ['create'],
    async run(stage) {
      // The keys contain no long repeated sequences, so that a store can't compress them to a few
      // bytes.
      const long = upTo(500)
        .map((i) => ((i * 7919 + 104_729) * 2_654_435_761).toString(36))
        .join('')
      for (const length of [60, 127, 255, 1000, 4000]) {
        const start = long.slice(0, length)
        await expectDifferent(stage, [`${start}a`, `${start}b`, start])
      }
    },
  },
  {
    id: 'texts/filters',
    title: 'Conditions compare text by code points, in members, nested members and lists.',
    on: 'parcels',
    needs: ['create'],
    async run(stage) {
      const records = await created(
        stage,
        oddTexts.map((text, i) =>
          parcel(`T-${i}`, { label: text, note: text, tags: ['x', text], address: { street: text } }),
        ),
      )
      for (const { code, label } of records) {
        const value = label as string
        const conditions: readonly Where[] = [
          { field: 'label', op: 'eq', value },
          { field: 'note', op: 'in', value: [value, 'none at all'] },
          { field: 'tags', op: 'contains', value },
          { field: 'address.street', op: 'eq', value },
        ]
        const own = [{ field: 'code', op: 'in', value: records.map((record) => record.code as string) }] as const
        for (const condition of conditions) {
          expectEqual(
            await stage.keys({ where: [condition, ...own] }),
            [code],
            `the keys where ${JSON.stringify(condition)}`,
          )
        }
      }
    },
  },
  {
    id: 'texts/parents',
    title: 'The keys of parents are compared by code points.',
    on: 'contracts',
    needs: ['attach', 'detach'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        for (const near of nearTexts) {
          const pairs: { readonly parent: ParentKey; readonly code: string }[] = []
          for (const [i, key] of near.slice(0, stage.held.length).entries()) {
            const parent = { collection: 'clients', key, as }
            const answer = await stage.attach(parent, `C-${i}`)
            if (!isRefused(answer)) pairs.push({ parent, code: `C-${i}` })
            else
              expectThat(
                answer.refused === 'rule',
                `'attached', or { refused: 'rule' }, from attach() with the parent key ${JSON.stringify(key)}`,
                answer,
              )
          }
          for (const { parent, code } of pairs) {
            expectEqual(
              await stage.keys({ parent }),
              [code],
              `the list under ${JSON.stringify(parent)} next to similar parents`,
            )
          }
          for (const { parent, code } of pairs) {
            expectEqual(await stage.detach(parent, code), 'detached', `detach() from ${JSON.stringify(parent)}`)
          }
        }
      }
    },
  },
  {
    id: 'texts/scope',
    title: 'A scope compares text by code points.',
    on: 'parcels',
    needs: ['create'],
    async run(stage) {
      const records = await created(
        stage,
        oddTexts.map((text, i) => parcel(`T-${i}`, { depot: text })),
      )
      for (const { code, depot } of records) {
        const by = { call: { scope: { depot: depot as string } } }
        expectEqual(await stage.keys({}, by), [code], `the keys in the scope ${JSON.stringify(by.call.scope)}`)
        const other = records.find((record) => record.depot !== depot)
        expectEqual(
          await stage.read(other?.code, by),
          undefined,
          `the result of read() for a record outside the scope ${JSON.stringify(by.call.scope)}`,
        )
      }
    },
  },
  {
    id: 'texts/pairs',
    title:
      'The key of a parent and the key of a record are stored as two values. If two such pairs of keys give the ' +
      'same string when joined, attaching one pair does not attach the other.',
    on: 'contracts',
    needs: ['create', 'attach', 'detach'],
    async run(stage) {
      const separators = ['', '/', ':', '|', ',', '-', '_', '.', ' ', '#', '","', '\u0001', '\u001f', '\t']
      for (const [i, separator] of separators.entries()) {
        const [near, far] = [`b${separator}c${i}`, `c${i}`]
        for (const code of [near, far]) await stage.mustCreate({ ...stage.fresh(), code })
        for (const as of ['contracts', 'favourites']) {
          const [short, long] = ['a', `a${separator}b`].map((key) => ({
            collection: 'clients',
            key: `${key}`,
            as,
          })) as [ParentKey, ParentKey]
          const what = `after attach() of ${JSON.stringify(near)} to ${JSON.stringify(short)}`
          expectEqual(await stage.attach(short, near), 'attached', 'attach()')
          expectEqual(await stage.keys({ parent: long }), [], `the list under ${JSON.stringify(long)} ${what}`)
          expectEqual(
            await stage.detach(long, far),
            'absent',
            `detach() of ${JSON.stringify(far)} from ${JSON.stringify(long)} ${what}`,
          )
          expectEqual(await stage.keys({ parent: short }), [near], `the list under ${JSON.stringify(short)} ${what}`)
          expectEqual(await stage.detach(short, near), 'detached', 'detach()')
        }
      }
    },
  },
]
