/** Sets the clock of this process to a fixed time while a check runs. */

/**
 * Runs `work` while `Date.now()` and `new Date()` give the time `time`, in milliseconds since 1970.
 * Timers are not affected, nor are adapters in other processes.
 */
export async function atTime(time: number, work: () => Promise<void>): Promise<void> {
  const real = globalThis.Date
  globalThis.Date = new Proxy(real, {
    apply: () => new real(time).toString(),
    construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [time] : given, newTarget),
    get: (target, name) => (name === 'now' ? () => time : Reflect.get(target, name)),
  })
  try {
    await work()
  } finally {
    globalThis.Date = real
  }
}
