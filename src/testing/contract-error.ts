/** What a check throws. */

/** An adapter broke a sentence of the contract: the message says what was expected, what came, and the sentence. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

/** A value for a message: as JSON, cut where it is long. */
export function show(value: unknown): string {
  if (value === undefined) return 'undefined'
  if (value instanceof Error) return `the error "${value.message}"`
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}... (${text.length} characters)` : text
}

/** Throws where it does not hold. */
export function expectThat(holds: boolean, expected: string, came: unknown): asserts holds {
  if (!holds) throw new ContractError(`Expected ${expected}; came ${show(came)}.`)
}

/** Throws where the two do not hold the same values, in any order. */
export function expectSameSet(came: readonly unknown[], expected: readonly unknown[], what: string): void {
  expectEqual([...came].sort(), [...expected].sort(), what)
}

/** Throws where the two are not the same JSON. */
export function expectEqual(came: unknown, expected: unknown, what: string): void {
  expectThat(JSON.stringify(came) === JSON.stringify(expected), `${what} to be ${show(expected)}`, came)
}
