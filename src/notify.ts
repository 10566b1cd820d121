/** Hooks of a team: notified of what happened, never able to change it. The one way in which the library calls them. */
import { isProblem } from './problem.js'

const report = (error: unknown): void => console.error('A hook of express-rest-conventions threw:', error)

/** Calls a hook, where there is one, with the event that `makeEvent` makes. Never throws: what the hook throws or rejects with goes to `console.error`. */
export function notify<E>(hook: ((event: E) => unknown) | undefined, makeEvent: () => E): void {
  if (hook === undefined) return
  try {
    // An async one would end the process by a rejection that nobody hears.
    Promise.resolve(hook(makeEvent())).catch(report)
  } catch (error) {
    report(error)
  }
}

/** An error as it goes to a console: a problem that was raised on purpose is one line, since its stack says nothing and a flood of them would fill the log. */
export const tellable = (error: unknown): unknown => (isProblem(error) ? error.message : error)
