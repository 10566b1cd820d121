/**
 * Times requests that several workers send concurrently. A worker is a loop that sends its next
 * request as soon as it has received a response.
 */

/** The limits of a run, which ends when either limit is reached. */
export interface Bounds {
  readonly seconds: number
  readonly requests: number
}

/** The result of a run. Times are in milliseconds. */
export interface Ran {
  readonly requests: number
  readonly elapsed: number
  readonly median: number
  readonly p99: number
}

/**
 * Runs several workers concurrently. `send` sends one request for the worker with the given number.
 * If `send` rejects, the run rejects.
 */
export async function clocked(
  workers: number,
  { seconds, requests }: Bounds,
  send: (worker: number) => Promise<void>,
): Promise<Ran> {
  const times: number[] = []
  let left = requests
  const start = performance.now()
  const end = start + seconds * 1000
  const work = async (worker: number): Promise<void> => {
    for (let now = start; now < end && left-- > 0; ) {
      await send(worker)
      const done = performance.now()
      times.push(done - now)
      now = done
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
  const elapsed = performance.now() - start
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { requests: times.length, elapsed, median: at(0.5), p99: at(0.99) }
}
