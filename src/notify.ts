/** Calls the team's hooks, which can't change what happens. */
const report = (error: unknown): void => console.error('A hook of express-rest-conventions threw:', error)

/** Calls a hook, where there is one, with the event that `makeEvent` makes, and with `about`. Never throws: what the hook throws or rejects with goes to `console.error`. */
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
