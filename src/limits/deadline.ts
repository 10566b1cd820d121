/** Time limits for answers of others, in a process that may stand still itself. */

/** Milliseconds by which a timer that is late tells of an event loop that stood still. */
const standstill = 20

/**
 * Calls back when `ms` milliseconds have passed in which an answer could have been heard: while the event loop stood still the answer may lie in its socket already, or the
 * question has not left. That says nothing of who was asked. It waits anew once only: in a process whose event loop is always late, nobody may wait for ever. Gives the function
 * that takes the limit back; a call back that is under way comes all the same.
 */
export function deadline(ms: number, passed: () => void): () => void {
  let timer: NodeJS.Timeout
  let anew = false
  const arm = (wait: number): void => {
    const due = performance.now() + wait
    timer = setTimeout(() => {
      const late = performance.now() - due
      if (late > standstill && !anew) {
        anew = true
        arm(ms)
      }
      // A timer that is set after long work counts from before it.
      else if (late < -1) arm(-late)
      // Timers run before what has come in is read.
      else setImmediate(passed)
    }, wait)
  }
  arm(ms)
  return () => clearTimeout(timer)
}
