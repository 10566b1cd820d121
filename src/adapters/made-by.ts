/** What functions of a team give back. */

/**
 * The record that one has made. Throws where it gave none: a forgotten `return`, or a promise where
 * the value is used at once.
 */
export function madeBy<R>(name: string, collection: string, made: R): Awaited<R> {
  refusePromise(`${name} of "${collection}"`, made)
  if (typeof made === 'object' && made !== null && !Array.isArray(made)) return made as Awaited<R>
  const gave = Array.isArray(made) ? 'a list' : made === null ? 'null' : made === undefined ? 'undefined' : `a ${typeof made}`
  throw new Error(`${name} of "${collection}" gave ${gave}. Return the record.`)
}

/** Throws where a function gave a promise, which nobody would wait for. */
export function refusePromise(what: string, given: unknown): void {
  if (typeof (given as { then?: unknown } | null | undefined)?.then !== 'function')
    return // Nobody else listens: a rejection must not end the process.
  ;(given as Promise<unknown>).then(undefined, () => {})
  throw new Error(`${what} gave a promise. This adapter answers at once: return the value itself, and look things up beforehand.`)
}
