/**
 * Some formats allow several spellings of one value, such as a UUID in upper or lower case. A
 * condition may use any spelling (QUERY-1). Its value is converted to the canonical spelling before
 * the comparison.
 */
import type { ResourceDefinition } from '../../definition/resource.js'
import { canonicalOf, type ValueFormat, valueFormat } from '../../definition/value-formats.js'
import type { Condition, ListRequest, Refused, Scalar } from '../contract.js'
import type { Comparers } from './order.js'

interface Spelled {
  readonly canonical: ValueFormat['canonical']
  readonly expects: string
}

export interface Spellings {
  readonly comparers: Comparers
  /**
   * The request with canonical values, or a refusal if a value does not match its member's format.
   */
  request(given: ListRequest): ListRequest | Refused
}

/**
 * Collects the formats of all members that are a filter, a sort field or a part of the key. If none
 * of these members has a format with several spellings, requests stay unchanged.
 */
export function spellingsOf({ shape, filters, sort, key }: ResourceDefinition): Spellings {
  const spelled = new Map<string, Spelled>()
  const comparers = new Map<string, (a: string, b: string) => number>()
  const add = (field: string, path: readonly string[]): void => {
    const member = shape.at(path)
    const item = member?.isArray ? member.items : member
    const canonical = canonicalOf(item)
    const format = valueFormat(item)
    if (canonical === undefined || format === undefined) return
    spelled.set(field, { canonical, expects: format.expects })
    if (format.compare !== undefined) comparers.set(field, format.compare)
  }
  for (const { field, path } of filters.values()) add(field, path)
  for (const field of [...sort, ...key.members]) add(field, field.split('.'))
  if (spelled.size === 0) return { comparers, request: (given) => given }
  return {
    comparers,
    request(given) {
      if (!given.where.some(({ field, op }) => op !== 'null' && spelled.has(field))) return given
      const where: Condition[] = []
      for (const condition of given.where) {
        const found = canonicalCondition(condition, spelled.get(condition.field))
        if ('refused' in found) return found
        where.push(found)
      }
      return { ...given, where }
    },
  }
}

function canonicalCondition(condition: Condition, spelled: Spelled | undefined): Condition | Refused {
  if (spelled === undefined || condition.op === 'null') return condition
  const { canonical, expects } = spelled
  const one = (value: Scalar): Scalar | undefined => (typeof value === 'string' ? canonical(value) : value)
  const refused: Refused = { refused: 'rule', members: [condition.field], why: `must be ${expects}` }
  if (condition.op === 'in') {
    const values = condition.value.map(one).filter((value) => value !== undefined)
    return values.length < condition.value.length ? refused : { ...condition, value: values }
  }
  const value = one(condition.value)
  return value === undefined ? refused : { ...condition, value }
}
