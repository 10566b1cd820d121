/** The error that a check throws. */

/**
 * The adapter violates a sentence of the contract. The message contains what was expected, what was
 * received, and the sentence.
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
export function expectThat(holds: boolean, expected: string, came: unknown): asserts holds {
  if (!holds) throw new ContractError(`Expected ${expected}; came ${show(came)}.`)
}

/** Throws if the two do not contain the same values, in any order. */
export function expectSameSet(came: readonly unknown[], expected: readonly unknown[], what: string): void {
  expectEqual([...came].sort(), [...expected].sort(), what)
}

/** Throws if the two are not equal as JSON. */
export function expectEqual(came: unknown, expected: unknown, what: string): void {
  expectThat(JSON.stringify(came) === JSON.stringify(expected), `${what} to be ${show(expected)}`, came)
}
