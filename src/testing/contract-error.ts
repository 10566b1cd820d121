/** The error that a check throws, and the functions that throw it. */

/**
 * Thrown if the adapter violates a requirement of the contract. The message says what was expected
 * and what happened instead, and contains the requirement.
 */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

/** Formats a value for a message: as JSON, truncated if it is long. */
export function show(value: unknown): string {
  if (value === undefined) return 'undefined'
  if (value instanceof Error) return `the error "${value.message}"`
  const text = textOf(value)
  return text.length > 300 ? `${text.slice(0, 300)}... (${text.length} characters)` : text
}

/**
 * Returns a value as JSON. A bigint, which SQL drivers may return, becomes a string such as `7n`.
 */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part)) ?? String(value)
  } catch {
    return String(value)
  }
}

/** Throws if `holds` is false. */
export function expectThat(holds: boolean, expected: string, actual: unknown): asserts holds {
  if (!holds) throw new ContractError(`Expected ${expected}, but got ${show(actual)}.`)
}

/** Throws if the two lists do not contain the same values. The order does not matter. */
export function expectSameSet(actual: readonly unknown[], expected: readonly unknown[], what: string): void {
  expectEqual([...actual].sort(), [...expected].sort(), what)
}

/** Throws if the two values are not equal as JSON. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  expectThat(textOf(actual) === textOf(expected), `${what} to be ${show(expected)}`, actual)
}

/**
 * Throws if a page has an exact total other than `expected`. The total may be absent or estimated.
 */
export function expectTotal(
  { total, exact }: { readonly total?: number | undefined; readonly exact?: boolean | undefined },
  expected: number | undefined,
  what: string,
): void {
  if (total !== undefined && exact !== false) expectEqual(total, expected, what)
}
