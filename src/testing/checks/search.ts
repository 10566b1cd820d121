/**
 * Checks of full-text search (`q`). Where the found records are compared, each search for words
 * includes a word that is in no dictionary, such as `quorvex`, so that all search engines find the
 * same records.
 */
import type { Check } from '../check.js'
import { expectEqual, expectSameSet, expectThat, expectTotal } from '../contract-error.js'
import { parcel } from '../fixtures.js'
import type { Row } from '../row.js'
import type { Stage } from '../stage.js'

const word = 'quorvex'
const holdsWord = ({ label, note }: Row): boolean =>
  [label, note].some((text) => typeof text === 'string' && text.toLowerCase().includes(word))
const found = (stage: Stage): readonly string[] =>
  stage.held
    .filter(holdsWord)
    .map((record) => stage.keyText(record))
    .sort()

export const search: readonly Check[] = [
  {
    id: 'search/finds',
    title: 'A search for a word finds the records that contain it, in upper or lower case, and the total counts them.',
    on: 'parcels',
    needs: ['search'],
    async run(stage) {
      for (const text of [word, word.toUpperCase()]) {
        expectEqual([...(await stage.keys({ search: text }))].sort(), found(stage), `the keys found by ${text}`)
        const page = await stage.list({ search: text, size: 2 })
        expectTotal(page, found(stage).length, 'the total of a search')
      }
      expectEqual(await stage.keys({ search: 'vexquor' }), [], 'the keys found by a word that no record contains')
    },
  },
  {
    id: 'search/all-words',
    title:
      'A search for several words finds the records that contain all of them, in any order and in any of the members.',
    on: 'parcels',
    needs: ['search'],
    async run(stage) {
      const wordsOf = ({ label, note }: Row) => `${label} ${note}`.toLowerCase().split(' ')
      for (const words of [
        ['quorvex', 'ash'],
        ['zinc', 'quorvex'],
        ['quorvex', 'vexquor'],
      ]) {
        const expected = stage.held.filter((record) => words.every((one) => wordsOf(record).includes(one)))
        const keys = [...(await stage.keys({ search: words.join(' ') }))].sort()
        expectEqual(
          keys,
          expected.map((record) => stage.keyText(record)).sort(),
          `the keys found by "${words.join(' ')}"`,
        )
      }
    },
  },
  {
    id: 'search/blank',
    title: 'An empty or blank search excludes no record.',
    on: 'parcels',
    needs: ['search'],
    async run(stage) {
      const all = [...(await stage.keys())].sort()
      for (const text of ['', ' ', '  \t\n ', '\u00a0', '\u3000']) {
        expectEqual([...(await stage.keys({ search: text }))].sort(), all, `the keys found by ${JSON.stringify(text)}`)
      }
    },
  },
  {
    id: 'search/rank',
    title:
      'Without a sort, the results of a search are ordered by rank, then by key. The order is the same each time, ' +
      'and pages neither repeat nor skip records.',
    on: 'parcels',
    needs: ['search'],
    async run(stage) {
      const first = (await stage.all({ search: word }, {}, 100)).map(({ value }) => stage.keyText(value))
      for (const size of [100, 5, 2]) {
        const again = (await stage.all({ search: word }, {}, size)).map(({ value }) => stage.keyText(value))
        expectEqual(again, first, `the keys in pages of ${size}`)
      }
      const byKey = await stage.keys()
      const groups = new Map<string, number[]>()
      for (const key of first) {
        const record = stage.held.find((one) => stage.keyText(one) === key) as Row
        const texts = JSON.stringify([record.label, record.note])
        groups.set(texts, [...(groups.get(texts) ?? []), byKey.indexOf(key)])
      }
      for (const [texts, places] of groups) {
        expectEqual(
          places,
          [...places].sort((a, b) => a - b),
          `the positions, in the list of all keys, of the records with the texts ${texts}`,
        )
      }
    },
  },
  {
    id: 'search/sorted',
    title: 'A search with a sort finds the same records as a search without one, in the order of the sort.',
    on: 'parcels',
    needs: ['search'],
    async run(stage) {
      for (const sort of ['pieces', '-weight', 'collected,-code']) {
        const keys = new Set(found(stage))
        const expected = (await stage.keys({ sort })).filter((key) => keys.has(key))
        expectEqual(await stage.keys({ search: word, sort }), expected, `the keys found in the order "${sort}"`)
      }
    },
  },
  {
    id: 'search/filtered',
    title: 'A search with conditions finds the records that match the search and the conditions.',
    on: 'parcels',
    needs: ['search'],
    async run(stage) {
      const items = await stage.all({ search: word, where: [{ field: 'urgent', op: 'eq', value: true }] })
      const expected = stage.held
        .filter((record) => holdsWord(record) && record.urgent)
        .map((record) => stage.keyText(record))
      expectSameSet(
        items.map(({ value }) => stage.keyText(value)),
        expected,
        'the keys found among the urgent records',
      )
    },
  },
  {
    id: 'search/parent',
    title: 'A search under a parent finds and counts only attached records that contain the words.',
    on: 'contracts',
    needs: ['search', 'attach'],
    async run(stage) {
      for (const as of ['contracts', 'favourites']) {
        const parent = { collection: 'clients', key: 'ann', as }
        const attached = stage.held.slice(0, 6)
        for (const record of attached) await stage.attach(parent, record.code)
        const expected = attached.filter(holdsWord).map((record) => stage.keyText(record))
        for (const sort of [undefined, '-rank']) {
          const asked = { parent, search: word, ...(sort === undefined ? {} : { sort }) }
          expectEqual(
            [...(await stage.keys(asked))].sort(),
            expected,
            `the keys found by ${word} under a parent in the association ${as}`,
          )
          const page = await stage.list({ ...asked, size: 1 })
          expectTotal(page, expected.length, `the total of a search under a parent in the association ${as}`)
        }
      }
    },
  },
  {
    id: 'search/contained',
    title: 'A search in the lines of one order finds and counts only lines of that order that contain the words.',
    on: 'lines',
    needs: ['search'],
    async run(stage) {
      for (const order of [1, 2, 3]) {
        const where = [{ field: 'order', op: 'eq', value: order }] as const
        const expected = stage.held
          .filter((record) => record.order === order && holdsWord(record))
          .map((record) => stage.keyText(record))
        const keys = [...(await stage.keys({ where, search: word }))].sort()
        expectEqual(keys, expected.sort(), `the keys found by ${word} in the lines of order ${order}`)
        const page = await stage.list({ where, search: word, size: 1 })
        expectTotal(page, expected.length, `the total of the search in order ${order}`)
      }
    },
  },
  {
    id: 'search/members',
    title: 'A search covers only the members in the option `search` of the resource.',
    on: 'parcels',
    needs: ['search', 'create'],
    async run(stage) {
      const elsewhere = { address: { street: 'trimbolak', postcode: 1 }, tags: ['trimbolak'], depot: 'trimbolak' }
      await stage.mustCreate(parcel('trimbolak', elsewhere))
      await stage.mustCreate(parcel('M-1', { label: 'trimbolak' }))
      await stage.mustCreate(parcel('M-2', { note: 'a trimbolak' }))
      expectEqual(
        [...(await stage.keys({ search: 'trimbolak' }))].sort(),
        ['M-1', 'M-2'],
        'the keys found by a word of label or note',
      )
    },
  },
  {
    id: 'search/follows',
    title: 'A search finds new texts as soon as they are written, and no longer finds replaced or removed texts.',
    on: 'parcels',
    needs: ['search', 'create', 'replace', 'remove'],
    async run(stage) {
      const record = { ...stage.record(1), code: 'S-1', label: 'trimbolak', note: null }
      await stage.mustCreate(record)
      expectEqual(await stage.keys({ search: 'trimbolak' }), ['S-1'], 'the keys found after a create')
      await stage.mustReplace('S-1', { ...record, label: 'other' })
      expectEqual(await stage.keys({ search: 'trimbolak' }), [], 'the keys found after a replace')
      await stage.mustReplace('S-1', record)
      await stage.remove('S-1')
      expectEqual(await stage.keys({ search: 'trimbolak' }), [], 'the keys found after a remove')
    },
  },
  {
    id: 'search/any-text',
    title: 'A search for any text gives a list or a refusal, never an error.',
    on: 'parcels',
    needs: ['search'],
    async run(stage) {
      const texts = [
        '',
        ' ',
        '"',
        '"quorvex',
        "'",
        '\\',
        '%',
        '_',
        '(',
        ')',
        '& |',
        '!',
        ':*',
        '<->',
        'or',
        '-',
        '-quorvex',
        '* *',
        '\0',
        '\ud800',
        '\u{1F4E6}',
        'x '.repeat(2000),
      ]
      for (const text of texts) {
        const page = await stage.list({ search: text, size: 5 })
        expectThat(
          page.refused === undefined || page.items.length === 0,
          'no items in the page of a refused search',
          page,
        )
      }
    },
  },
]
