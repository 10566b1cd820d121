/**
 * The CPU time of this process so far, in milliseconds. Tests use it to show that hostile input
 * takes linear time. Unlike wall-clock time, it does not include the time in which other processes
 * run.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
