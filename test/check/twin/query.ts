/** The query parser of the twin (the hand-written test service). */
import type { Twin } from './twin.js'

const fields = ['id', 'state', 'amount', 'createdAt'] as const
const filters: Readonly<Record<string, 'string' | 'integer' | 'boolean'>> = {
  state: 'string',
  note: 'string',
  amount: 'integer',
  urgent: 'boolean',
}
const known = ['sort', 'q', 'offest', 'limit', 'expand', ...Object.keys(filters)]

export interface ListQuery {
  readonly page: number
  readonly size: number
  readonly sort: readonly { readonly field: string; readonly down: boolean }[]
  readonly where: readonly (readonly [name: string, value: unknown, text: string])[]
  readonly text: string | undefined
  readonly expand: readonly string[]
}

/**
 * Parses a query. Returns the errors if the query is invalid. `texts` contains the names of the
 * filters of the collection. All their values are strings. Without `texts`, the collection is
 * `/v1/orders`.
 */
export function readQuery(
  raw: string,
  twin: Twin,
  texts?: readonly string[],
): ListQuery | { readonly errors: readonly string[] } {
  const has = (fault: Parameters<Twin['has']>[0]): boolean => twin.has(fault)
  const errors: string[] = []
  const allowed = texts === undefined ? known : ['offest', 'limit', ...texts]
  const values = new Map<string, string>()
  for (const pair of raw.split('&').filter((one) => one !== '')) {
    const [name = '', value = ''] = pair.split('=', 2).map((part) => decode(part) ?? '\0')
    if (name === '\0' || value === '\0') {
      if (!has('undecodable query ignored')) errors.push(`${pair} cannot be decoded`)
    } else if (!allowed.includes(name)) {
      if (has('unknown parameters ignored')) continue
      errors.push(
        has('misspelt parameter not explained')
          ? `${name} is unknown`
          : `${name} is unknown. Known: ${allowed.join(', ')}`,
      )
    } else if (values.has(name) && !has('last of repeated parameters wins')) errors.push(`${name} is repeated`)
    else values.set(name, value)
  }
  const number = (name: string, otherwise: number, lenient: (text: string) => boolean): number => {
    const text = values.get(name)
    if (text === undefined) return otherwise
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
    if (!lenient(text)) errors.push(`${name} must be a whole number from 1`)
    return otherwise
  }
  const page = number(
    'offest',
    1,
    (text) =>
      (has('offest=abc is the first page') && text === 'abc') ||
      (text === '0' && (has('offest=0 is the first page') || has('pages counted from 0'))),
  )
  const size = number('limit', 10, (text) => text === '0' && has('limit=0 is the default'))
  if (size > 20 && !has('limit above the maximum is reduced')) errors.push('limit is more than 20')
  const sort = (values.get('sort') ?? 'id').split(',').map((term) => {
    const [, sign, field = ''] =
      (has('%2B is part of the sort field') ? /^([- ]?)(.*)$/ : /^([-+ ]?)(.*)$/).exec(term) ?? []
    return { field, down: sign === '-' && !has('minus ignored') }
  })
  if (!has('unknown sort field ignored') && sort.some(({ field }) => !(fields as readonly string[]).includes(field)))
    errors.push(`sort takes ${fields.join(', ')}`)
  const expand = (values.get('expand') ?? '').split(',').filter((name) => name !== '')
  if (!has('unknown expand ignored') && expand.some((name) => name !== 'customer')) errors.push('expand takes customer')
  const types = texts === undefined ? filters : Object.fromEntries(texts.map((name) => [name, 'string'] as const))
  const where = Object.entries(types).flatMap(([name, type]): (readonly [string, unknown, string])[] => {
    const text = values.get(name)
    if (text === undefined || has('filter ignored')) return []
    const value = typed(text, type)
    if (value === undefined && !has('malformed filter finds nothing')) errors.push(`${name} is no ${type}`)
    return [[name, has('number filter compares strings') && type === 'integer' ? text : value, text]]
  })
  if (errors.length > 0) return { errors: has('only the first error reported') ? errors.slice(0, 1) : errors }
  return { page, size: Math.min(size, 20), sort, where, text: values.get('q'), expand }
}

function typed(text: string, type: 'string' | 'integer' | 'boolean'): unknown {
  if (type === 'string') return text
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  return text === 'true' ? true : text === 'false' ? false : undefined
}

function decode(text: string): string | undefined {
  try {
    // A plus sign stands for a space, as in form data.
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
