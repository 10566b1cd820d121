/** Sets the clock of this process to another time and stops it. */

/**
 * Runs `work` while `Date.now()` and `new Date()` return this time, in milliseconds. Timers and
 * adapters in other processes are not affected.
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
