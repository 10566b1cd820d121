/** How long the laws are tried, where they start, and what a failure says. */
import fc from 'fast-check'

const { LAWS_RUNS, LAWS_SEED, LAWS_PATH } = process.env

/** How many cases are tried: `usual`, or as many as `LAWS_RUNS` says. */
const runs = (usual: number): number => (LAWS_RUNS === undefined ? usual : Number(LAWS_RUNS))

/**
 * Tries a law on random cases. The first case that breaks it ends the run; the error says how to
 * repeat it: `LAWS_SEED` alone repeats the run, `LAWS_PATH` beside it the case, and looks for a
 * smaller one.
 */
export async function holds(usual: number, law: (draw: <T>(arbitrary: fc.Arbitrary<T>) => T) => Promise<void>): Promise<void> {
  const found = await fc.check(
    fc.asyncProperty(fc.gen(), (value) => law((arbitrary) => value(() => arbitrary))),
    {
      numRuns: runs(usual),
      endOnFailure: LAWS_PATH === undefined,
      ...(LAWS_SEED === undefined ? {} : { seed: Number(LAWS_SEED) }),
      ...(LAWS_PATH === undefined ? {} : { path: LAWS_PATH }),
    },
  )
  if (!found.failed) return
  const { seed, counterexamplePath, numRuns, errorInstance } = found
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  throw new Error(`A law is broken. Repeat it by LAWS_SEED=${seed} LAWS_PATH=${counterexamplePath} (case ${numRuns}).\n${message}`, {
    cause: errorInstance,
  })
}
