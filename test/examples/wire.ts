/**
 * The member names and types of a JSON value, such as `{ contrato: { href: 'string' } }`. The type
 * of a list is that of its first item.
 */
export function typesOf(value: unknown): unknown {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? [] : [typesOf(value[0])]
  if (typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, member]) => [name, typesOf(member)]),
    )
  }
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** The path of an absolute URL. supertest takes only paths. */
export const pathOf = (href: string): string => href.replace(/^https?:\/\/[^/]+/, '')

/** The value of each record at a path of member names, such as `a.b`. */
export const valuesAt = (records: readonly unknown[], path: string): unknown[] =>
  records.map((record) =>
    path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], record),
  )
