/** Objects whose keys are statuses. */

/**
 * Returns an object with these members. The first is defined as read-only, so that V8 stores the
 * numeric keys in a dictionary. With plain assignments it would allocate an array of 600 elements,
 * which takes 5 KB instead of 0.5 KB for each operation, and takes twice as long to serialize as
 * JSON (Node 20).
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
