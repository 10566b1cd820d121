/** The error that a check throws, and the functions that throw it. */

/**
 * Thrown if the adapter violates a requirement of the contract. The message contains the expected
 * and the received value, and the requirement.
 */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

/** Formats a value for a message: as JSON, truncated if it is long. */
export function show(value: unknown): string {
  if (value === undefined) return 'undefined'
  if (value instanceof Error) return `the error "${value.message}"`
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}... (${text.length} characters)` : text
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
  expectThat(JSON.stringify(actual) === JSON.stringify(expected), `${what} to be ${show(expected)}`, actual)
}

/** Throws if a page has an exact total other than `expected`. A total may be absent or estimated. */
export function expectTotal(
  { total, exact }: { readonly total?: number | undefined; readonly exact?: boolean | undefined },
  expected: number | undefined,
  what: string,
): void {
  if (total !== undefined && exact !== false) expectEqual(total, expected, what)
}
