/** Objects whose keys are statuses. */

/**
 * Returns an object with these members. The first member is defined as read-only, so that V8 stores
 * the numeric keys in a dictionary. With plain assignments, V8 would allocate an array of 600
 * elements for each operation. The array would take 5 KB instead of 0.5 KB, and serializing the
 * object as JSON would take twice as long (Node 20).
 */
export function byStatus<T>(
  entries: readonly (readonly [status: string | number, value: T])[],
): Readonly<Record<string, T>> {
  const [first, ...others] = entries
  const table: Record<string, T> = {}
  if (first === undefined) return table
  Object.defineProperty(table, first[0], { value: first[1], enumerable: true, configurable: true })
  for (const [status, value] of others) table[status] = value
  return table
}
