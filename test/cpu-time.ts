/**
 * Milliseconds that this process has computed so far: for tests that hostile input costs no more
 * than its length. Unlike a clock's, they do not grow while other processes have the processor.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
