/**
 * Checks of strings that many stores can't store: strings with U+0000 or with lone surrogates. JSON
 * can contain both.
 */
import { isRefused } from '../../adapters/contract.js'
import type { Check } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import { parcel } from '../fixtures.js'
import type { Where } from '../requests.js'
import type { Stage } from '../stage.js'

const unstorable = ['\0', 'a\0b', '\ud800', 'a\udc00', '\udfff\ud83d']

/** Returns `texts` if the adapter can create records, and an empty list otherwise. */
const ifCreates = (stage: Stage, texts: readonly string[]): readonly string[] => (stage.offers('create') ? texts : [])

export const unstorables: readonly Check[] = [
  {
    id: 'unstorable/written',
    title:
      'A string with U+0000 or a lone surrogate is stored exactly, or refused with the names of the members that ' +
      'contain the string. It is never changed, and never causes an error.',
    on: 'parcels',
    needs: ['create'],
    async run(stage) {
      for (const [i, text] of unstorable.entries()) {
        for (const members of [{ note: text }, { label: text }, { tags: ['a', text] }, { address: { street: text } }]) {
          const record = parcel(`U-${i}-${Object.keys(members)}`, members)
          const answer = await stage.create(record)
          if ('refused' in answer) {
            expectThat(answer.members.length > 0, 'a refusal that names at least one member', answer)
            await stage.expectNothing(record.code, 'no record stored after a refusal')
          } else stage.expectValue(await stage.read(record.code), record, 'the record that is read')
        }
      }
    },
  },
  {
    id: 'unstorable/replaced',
    title: 'A replace with U+0000 or a lone surrogate stores the string exactly, or is refused and changes nothing.',
    on: 'parcels',
    needs: ['replace'],
    async run(stage) {
      const before = stage.record()
      for (const text of unstorable) {
        const next = { ...before, note: text }
        const answer = await stage.replace(before.code, next)
        const refused = typeof answer === 'object' && 'refused' in answer
        stage.expectValue(await stage.read(before.code), refused ? before : next, 'the record that is read')
        if (!refused) await stage.mustReplace(before.code, before)
      }
    },
  },
  {
    id: 'unstorable/key',
    title:
      'Under a key with U+0000 or a lone surrogate, read, replace and remove find no record. A create with this ' +
      'key is refused, or stores the key exactly.',
    on: 'parcels',
    async run(stage) {
      const { adapter } = stage
      const known = stage.record().code as string
      for (const near of ifCreates(stage, ['\ufffd', 'a\ufffd', 'ab', `${known}\ufffd`]))
        await stage.create(parcel(near))
      for (const code of [...unstorable, `${known}\0`, `\0${known}`, `${known}\ud800`]) {
        const found = await stage.readAll([code, stage.key(stage.record())])
        expectThat(found[0] === undefined, 'undefined for a key without a record', found[0])
        stage.expectValue(found[1], stage.record(), 'the record of the other key in the same read()')
        if (adapter.replace !== undefined) {
          const answer = await stage.replace(code, parcel(code))
          expectThat(
            answer === 'absent' || (typeof answer === 'object' && 'refused' in answer),
            "'absent' or a refusal from replace()",
            answer,
          )
        }
        if (adapter.remove !== undefined) {
          const answer = await stage.remove(code, 'x')
          expectThat(answer === 'absent', "'absent' from remove()", answer)
        }
        if (adapter.create === undefined) continue
        const answer = await stage.create(parcel(code))
        if ('created' in answer) stage.expectValue(await stage.read(code), parcel(code), 'the record that is read')
        else expectThat('refused' in answer && answer.members.includes('code'), 'a refusal that names the key', answer)
      }
    },
  },
  {
    id: 'unstorable/list',
    title: 'A condition with U+0000 or a lone surrogate in a string gives an empty page, never an error.',
    on: 'parcels',
    async run(stage) {
      const { code, label } = stage.record()
      // A store that does not validate strings may change an invalid string into one of these
      // strings, for example when it encodes the string as UTF-8. A condition with the invalid
      // string must not match these records.
      for (const [i, text] of ifCreates(stage, ['\ufffd', 'a\ufffd', 'ab', '', 'a']).entries()) {
        await stage.create(parcel(`near-${i}`, { label: text, note: text, tags: [text] }))
      }
      for (const value of [...unstorable, `${code}\0`, `${label}\0`, `${label}\ud800`, 'red\0']) {
        const conditions: Where[] = [
          { field: 'code', op: 'eq', value },
          { field: 'label', op: 'eq', value },
          { field: 'note', op: 'in', value: [value, `${value}b`] },
          { field: 'tags', op: 'contains', value },
        ]
        for (const condition of conditions) {
          const page = await stage.list({ where: [condition] })
          expectThat(page.items.length === 0, 'an empty page', page.items)
        }
      }
    },
  },
  {
    id: 'unstorable/seek',
    title:
      'A seek from a position with U+0000 or a lone surrogate in a string gives a page, or a refusal that names ' +
      'the member, never an error.',
    on: 'parcels',
    async run(stage) {
      const sort = 'label'
      if ((await stage.list({ sort })).seekable !== true) return
      for (const text of unstorable) {
        for (const backwards of [false, true]) {
          const { items, refused } = await stage.list({ sort, seek: { values: [text, 'P-1'], backwards }, size: 3 })
          if (refused === undefined) continue
          expectThat(
            items.length === 0 && refused.members.includes(sort),
            'an empty page, with a refusal that names the member',
            { items, refused },
          )
        }
      }
    },
  },
  {
    id: 'unstorable/parent',
    title:
      'The list of a parent whose key has U+0000 or a lone surrogate is empty. An attach() to this parent returns ' +
      "'absent' or 'stale' as usual, is refused, or stores the key exactly.",
    on: 'contracts',
    needs: ['attach', 'detach'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        const bob = { collection: 'clients', key: 'bob', as }
        await stage.attach(bob, 'C-2')
        const before = await stage.keys({ parent: bob })
        for (const key of ['bob\0', '\0', 'bob\ud800']) {
          const parent = { collection: 'clients', key, as }
          expectEqual(await stage.keys({ parent }), [], `the list under ${JSON.stringify(key)} as ${as}`)
          expectEqual(await stage.detach(parent, 'C-2'), 'absent', `detach() from ${JSON.stringify(key)} as ${as}`)
          expectEqual(
            await stage.attach(parent, 'none'),
            'absent',
            `attach() of an unknown record to ${JSON.stringify(key)} as ${as}`,
          )
          expectEqual(
            await stage.attach(parent, 'C-0', 'other'),
            'stale',
            `attach() with a wrong version to ${JSON.stringify(key)} as ${as}`,
          )
          const answer = await stage.attach(parent, 'C-0')
          const refused = isRefused(answer)
          expectThat(refused || answer === 'attached', "'attached' or a refusal", answer)
          expectEqual(
            await stage.keys({ parent }),
            refused ? [] : ['C-0'],
            `the list under ${JSON.stringify(key)} as ${as}`,
          )
          if (!refused) await stage.detach(parent, 'C-0')
        }
        for (const key of ['C-2\0', '\0', '\ud800']) {
          expectEqual(await stage.attach(bob, key), 'absent', `attach() of ${JSON.stringify(key)} as ${as}`)
          expectEqual(await stage.detach(bob, key), 'absent', `detach() of ${JSON.stringify(key)} as ${as}`)
        }
        expectEqual(await stage.keys({ parent: bob }), before, `the list under "bob" as ${as}`)
      }
    },
  },
]
