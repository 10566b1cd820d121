/**
 * Checks the form of results. The result of a write must be one of the strings of the contract,
 * such as `'absent'`, or an object. The members of objects and pages must have the right types.
 */
import type { ListRequest } from '../adapters/contract.js'
import { isObject } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { OptionalMethod } from './check.js'
import { expectThat } from './contract-error.js'

const words: Readonly<Record<OptionalMethod, readonly string[]>> = {
  create: ['mismatched', 'running'],
  recall: ['mismatched', 'running'],
  replace: ['absent', 'stale'],
  remove: ['removed', 'absent', 'stale'],
  attach: ['attached', 'absent', 'stale'],
  detach: ['detached', 'absent', 'stale'],
}

/** Throws if the contract does not allow the result of a write or of `recall()`. */
export function expectResult(definition: ResourceDefinition, method: OptionalMethod, result: unknown): void {
  if (isObject(result) && 'refused' in result) {
    expectRefused(result, (member) => isMember(definition, member), `a refusal of ${method}() to have`)
  } else if (isObject(result) && method === 'create') {
    if ('created' in result) expectStored(result.created, 'create() to return { created } with')
    else
      expectThat(
        'accepted' in result || result.nothing === true,
        'create() to return { created }, { accepted } or { nothing: true }',
        result,
      )
  } else if (isObject(result) && (method === 'replace' || method === 'recall')) {
    expectStored(result, `${method}() to return`)
  } else {
    const known = words[method].map((word) => `'${word}'`).join(', ')
    expectThat(
      words[method].includes(result as string),
      `${method}() to return one of its literals (${known}) or an object`,
      result,
    )
  }
}

/** Throws if a page is malformed or contradicts the request. */
export function expectPage(
  page: unknown,
  { size, where, sort }: ListRequest,
  keyText: (value: unknown) => string,
): void {
  expectThat(isObject(page) && Array.isArray(page.items), 'list() to return a page with an array "items"', page)
  const { items, total, refused } = page
  for (const item of items as readonly unknown[]) expectStored(item, 'each item of a page to be')
  const keys = (items as readonly { readonly value: unknown }[]).map(({ value }) => keyText(value))
  expectThat(keys.length <= size, `at most ${size} items on a page with page size ${size}`, keys.length)
  expectThat(new Set(keys).size === keys.length, 'a page to contain each record only once', keys)
  for (const name of ['more', 'exact', 'seekable'] as const) {
    const given = page[name]
    expectThat(
      given === undefined || typeof given === 'boolean',
      `"${name}" of a page to be true, false or undefined`,
      given,
    )
  }
  expectThat(
    total === undefined || (Number.isSafeInteger(total) && (total as number) >= 0),
    '"total" to be an integer of at least 0, or undefined',
    total,
  )
  if (refused === undefined) return
  const fields = new Set([...where, ...sort].map(({ field }) => field))
  expectThat(isObject(refused) && keys.length === 0, 'no items in a page with "refused"', page)
  expectRefused(refused, (member) => fields.has(member), 'a refusal of list() to have')
}

export function expectStored(item: unknown, what: string): void {
  const fits = isObject(item) && isObject(item.value) && typeof item.version === 'string' && item.version !== ''
  expectThat(fits, `${what} { value, version }, where "value" is an object and "version" is a non-empty string`, item)
}

function expectRefused(
  result: Readonly<Record<string, unknown>>,
  isNamed: (member: string) => boolean,
  what: string,
): void {
  const { refused, members, why } = result
  const reasons = ['duplicate', 'reference', 'referenced', 'rule']
  expectThat(
    reasons.includes(refused as string),
    `${what} the reason 'duplicate', 'reference', 'referenced' or 'rule'`,
    result,
  )
  expectThat(Array.isArray(members), `${what} an array as "members"`, result)
  for (const member of members) {
    expectThat(
      typeof member === 'string' && isNamed(member),
      `${what} only names of members in "members", such as "note" or "address.street"`,
      result,
    )
  }
  expectThat(why === undefined || typeof why === 'string', `${what} a string or undefined as "why"`, result)
}

/**
 * Whether a resource has a member. The name of a nested member has dots (`address.street`), and the
 * name of an array may be followed by the index of an item (`tags.0`). Names below an array, or
 * below an object that allows undeclared members, are not checked.
 */
function isMember({ shape }: ResourceDefinition, member: string): boolean {
  let found = shape
  for (const name of member.split('.')) {
    if (found.isArray || found.open) return true
    const next = found.members.get(name)
    if (next === undefined) return false
    found = next
  }
  return true
}
