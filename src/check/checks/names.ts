/**
 * Checks of the names of collections, and of how ids are spelled in URLs (PATH-2..4, PATH-9,
 * PATH-11).
 */
import { checkCollectionName } from '../../definition/naming.js'
import { isConfigurationError } from '../../problem.js'
import type { ListCheck } from '../check.js'
import type { Listing } from '../listing.js'
import { breaks, holds, NotApplicable, type Outcome } from '../verdict.js'
import { expectStatus, firstBreak } from './expecting.js'
import { needsGet } from './items.js'

/**
 * Returns a violation if `checkCollectionName()`, called with the name of the collection, throws an
 * error whose code is `code`.
 */
async function checkName(list: Listing, code: string, expected: string): Promise<Outcome> {
  const name = list.target.template.split('/').at(-1) ?? ''
  try {
    checkCollectionName(name)
  } catch (error) {
    if (!isConfigurationError(error)) throw error
    if (error.code === code) return breaks(expected, `"${name}"`, await list.sample())
  }
  return holds
}

export const nameChecks: readonly ListCheck[] = [
  {
    id: 'PATH-2/plural',
    rule: 'The name of a collection is a plural noun.',
    why: 'Clients guess unknown addresses from the addresses that they know.',
    fix: 'Rename the collection, and serve the old name in the old version only.',
    run: (list) => checkName(list, 'name-not-plural', 'a plural noun'),
  },
  {
    id: 'PATH-3/verb',
    rule: 'The name of a collection is not an action.',
    why: 'The method defines the operation. A verb in the path repeats or contradicts it.',
    fix: 'Name the resource that is created or changed, and use the method as the verb.',
    run: (list) => checkName(list, 'name-is-verb', 'a noun'),
  },
  {
    id: 'PATH-4/format',
    rule: 'The name of a collection contains no format: `orders`, not `orders.json`.',
    why: 'An address without a format stays the same when the service adds a format.',
    fix: 'Choose the format by Accept.',
    run: (list) => checkName(list, 'name-has-format', 'a name without a format'),
  },
  {
    id: 'PATH-4/extension',
    needs: ['VERB-1/item', 'ERR-1/missing-item'],
    rule: 'An id with a format suffix, such as `7.json`, gets 404 or 400.',
    why: 'If an item has two addresses, caches and permission rules may miss one of them.',
    fix: 'Treat a suffix after a dot as part of the id. Choose the format by Accept.',
    async run(list) {
      needsGet(list)
      const path = `${await list.anItem()}.json`
      return expectStatus(await list.send('GET', path), [404, 400], `GET ${path}`) ?? holds
    },
  },
  {
    id: 'PATH-11/encoding',
    needs: ['VERB-1/item', 'ERR-1/missing-item'],
    rule: 'An id is decoded exactly once: `%33` means `3`, `%2533` does not, and `%zz` gets 400.',
    why: 'An id that is decoded twice, or not at all, leads to the wrong item or to none.',
    fix: 'Split the path first, and then decode each segment once.',
    async run(list) {
      needsGet(list)
      const path = await list.anItem()
      const [, above = '', first = '', rest = ''] = /^(.*\/)([A-Za-z0-9])([^/]*)$/.exec(path) ?? []
      if (first === '') throw new NotApplicable('the id of the item does not begin with a letter or a digit')
      const code = first.charCodeAt(0).toString(16).toUpperCase()
      const spellings: readonly (readonly [string, readonly number[]])[] = [
        [`${above}%${code}${rest}`, [200]],
        [`${above}%25${code}${rest}`, [404, 400]],
        [`${above}%zz`, [400]],
      ]
      const found = await firstBreak(spellings, async ([at, statuses]) =>
        expectStatus(await list.send('GET', at), statuses, `GET ${at}`),
      )
      return found ?? holds
    },
  },
  {
    id: 'PATH-9/parts',
    needs: ['VERB-1/item', 'ERR-1/missing-item'],
    rule: 'The parts of an id have one order. An id with a different order or a missing part gets 404 or 400.',
    why: 'If an item has two addresses, caches and permission rules may miss one of them.',
    fix: 'Accept the parts only in their documented order.',
    async run(list) {
      const path = await compositePath(list)
      const [, above = '', id = ''] = /^(.*\/)([^/]*)$/.exec(path) ?? []
      const parts = id.split(',')
      const found = await firstBreak([parts.toReversed().join(), parts.slice(1).join()], async (other) =>
        expectStatus(await list.send('GET', `${above}${other}`), [404, 400], `GET ${above}${other}`),
      )
      return found ?? holds
    },
  },
  {
    id: 'PATH-9/encoded',
    needs: ['VERB-1/item'],
    rule: 'In an id of several parts, `,` and `=` may be percent-encoded.',
    why: 'Some client libraries encode these characters.',
    fix: 'Decode the segment first, and then split it at the commas.',
    async run(list) {
      const path = await compositePath(list)
      const encoded = path.replace(/[^/]*$/, (id) => id.replaceAll(',', '%2C').replaceAll('=', '%3D'))
      return expectStatus(await list.send('GET', encoded), [200], `GET ${encoded}`) ?? holds
    },
  },
]

/**
 * The path of an item whose id has several parts. Throws `NotApplicable` if ids have only one part,
 * or if items can't be read.
 */
async function compositePath(list: Listing): Promise<string> {
  needsGet(list)
  if (list.key.length < 2) throw new NotApplicable('ids have one part')
  return list.anItem()
}
