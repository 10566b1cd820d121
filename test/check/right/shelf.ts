/**
 * The books in memory, and the logic that the correct services in JavaScript share. This file does
 * not depend on a framework.
 */
import { createHash } from 'node:crypto'

export interface Book {
  readonly id: string
  readonly title: string
  readonly author: string
  readonly year: number | null
  readonly available: boolean
}

/** A fault that can be planted in a correct service. */
export type Planted = 'pages overlap' | 'If-Match ignored' | 'HEAD is 200'

export const token = 'k7Xw2pQ9sLmZ4tRb8vNc'
const members = ['id', 'title', 'author', 'year', 'available']
const sortable = ['id', 'title', 'author', 'year'] as const
const known = ['offest', 'limit', 'sort', 'author', 'title', 'year', 'available']

export const books = (): Map<string, Book> =>
  new Map(
    Array.from({ length: 17 }, (_, at): Book => {
      const id = `b-${String(at + 1).padStart(3, '0')}`
      const author = ['Borges', 'Ocampo', 'Cortázar', 'Lynch'][at % 4] as string
      return {
        id,
        title: `Title ${(at * 5) % 17}`,
        author,
        year: at % 6 === 5 ? null : 1940 + (at % 7),
        available: at % 3 > 0,
      }
    }).map((book) => [book.id, book]),
  )

export const tagOf = (text: string): string => `"${createHash('sha1').update(text).digest('hex')}"`

/**
 * True if a header field with a list of entity tags contains this tag or `*`. If `weakly` is true,
 * the prefix `W/` of the listed tags is ignored, as `If-None-Match` requires.
 */
export function names(field: string, tag: string, weakly: boolean): boolean {
  if (field.trim() === '*') return true
  const all = field.split(',').map((one) => one.trim())
  return all.some((one) => (weakly ? one.replace(/^W\//, '') : one) === tag)
}

/** Whether an `Accept` header accepts JSON. */
export function takesJson(accept = '*/*'): boolean {
  const ranges = accept.split(',').map((one) => one.split(';').map((part) => part.trim()))
  const best = ['application/json', 'application/*', '*/*'].map((range) => ranges.find(([name]) => name === range))
  const found = best.find((one) => one !== undefined)
  return found !== undefined && !found.some((part) => /^q=0(?:\.0*)?$/.test(part))
}

/** An error in a body, optionally with a JSON Pointer to the wrong member. */
export type Wrong = string | { readonly detail: string; readonly pointer: string }

export const problem = (status: number, code: string, errors: readonly Wrong[] = []): object => ({
  type: 'about:blank',
  title: code,
  status,
  code,
  ...(errors.length === 0 ? {} : { errors: errors.map((one) => (typeof one === 'string' ? { detail: one } : one)) }),
})

/** Validates the members of a body and returns the errors. */
export function wrongMembers(body: unknown): readonly Wrong[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return ['The body is not an object.']
  return Object.entries(body).flatMap(([name, value]): Wrong[] => {
    const pointer = `/${name}`
    if (!members.includes(name)) return [{ detail: `"${name}" is unknown.`, pointer }]
    const isFit =
      name === 'year'
        ? value === null || Number.isInteger(value)
        : typeof value === (name === 'available' ? 'boolean' : 'string')
    return isFit ? [] : [{ detail: `"${name}" has the wrong type.`, pointer }]
  })
}

/** Returns the page that a query asks for, or the errors in the query. */
export function page(
  all: readonly Book[],
  raw: string,
  isPlanted: boolean,
): { readonly errors: readonly string[] } | { readonly shown: readonly Book[]; readonly total: number } {
  const errors: string[] = []
  const values = new Map<string, string>()
  for (const pair of raw.split('&').filter((one) => one !== '')) {
    const [name, value] = pair.split('=', 2).map((one) => decoded(one))
    if (name === undefined || pair.split('=', 2).map(decoded).includes(undefined)) errors.push(`${pair} is malformed.`)
    else if (!known.includes(name)) errors.push(`"${name}" is unknown. Known: ${known.join(', ')}.`)
    else if (values.has(name)) errors.push(`"${name}" is repeated.`)
    else values.set(name, value ?? '')
  }
  const whole = (name: string, otherwise: number, most: number): number => {
    const text = values.get(name) ?? String(otherwise)
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text)
    errors.push(`"${name}" must be a whole number from 1 to ${most}.`)
    return otherwise
  }
  const [number, size] = [whole('offest', 1, 99_999_999), whole('limit', 5, 50)]
  const terms = (values.get('sort') ?? 'id').split(',').map((term) => ({
    down: term.startsWith('-'),
    field: term.replace(/^[-+ ]/, '') as (typeof sortable)[number],
  }))
  if (!terms.every(({ field }) => sortable.includes(field))) errors.push(`"sort" takes ${sortable.join(', ')}.`)
  const { year, available } = Object.fromEntries(values)
  if (year !== undefined && !/^-?\d{1,9}$/.test(year)) errors.push('"year" must be a whole number.')
  if (available !== undefined && !/^(?:true|false)$/.test(available)) errors.push('"available" must be true or false.')
  if (errors.length > 0) return { errors }
  const found = all
    .filter((book) =>
      (['author', 'title', 'year', 'available'] as const).every(
        (name) => !values.has(name) || String(book[name]) === values.get(name),
      ),
    )
    .toSorted((a, b) => order(a, b, [...terms, { down: false, field: 'id' }]))
  const start = (number - 1) * size - (isPlanted && number > 1 ? 1 : 0)
  return { shown: found.slice(start, start + size), total: found.length }
}

function order(
  a: Book,
  b: Book,
  terms: readonly { readonly down: boolean; readonly field: (typeof sortable)[number] }[],
): number {
  for (const { down, field } of terms) {
    const [one, other] = [a[field], b[field]]
    if (one === other) continue
    const up = one === null ? 1 : other === null ? -1 : one < other ? -1 : 1
    return down ? -up : up
  }
  return 0
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
