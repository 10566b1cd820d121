/** Calls the service's hooks. A hook that fails does not affect the request. */
const report = (error: unknown): void => console.error('A hook of express-rest-conventions threw:', error)

/**
 * Calls a hook, if it is defined. The arguments of the hook are the event that `makeEvent` returns,
 * followed by `about`. This function never throws. If the hook throws or rejects, the error is
 * written to `console.error`.
 */
export function notify<E, A extends readonly unknown[]>(
  hook: ((event: E, ...about: A) => unknown) | undefined,
  makeEvent: () => E,
  ...about: A
): void {
  if (hook === undefined) return
  try {
    // An unhandled rejection of an async hook would end the process.
    Promise.resolve(hook(makeEvent(), ...about)).catch(report)
  } catch (error) {
    report(error)
  }
}
