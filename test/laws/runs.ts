/**
 * Reads the number of cases and their seed from the environment, checks a law, and reports
 * failures.
 */
import fc from 'fast-check'
import type { Case } from './cases.js'
import { Broken } from './service.js'

/** Time limit for shrinking a failure, in milliseconds. */
const shrinkTimeLimit = 45_000

const whole = (name: string, text: string): number => {
  if (!/^-?\d+$/.test(text)) throw new Error(`${name} is ${JSON.stringify(text)}: it must be a whole number.`)
  return Number(text)
}

/** Throws if a case violates the law. */
type Law = (one: Case) => Promise<void>

export interface Runs {
  /** A unique part of the test title, for the option `-t` of Vitest. */
  readonly name: string
  /** The number of cases if `LAWS_RUNS` is not set. */
  readonly usual: number
  readonly cases: fc.Arbitrary<Case>
}

/**
 * Tests a law on random cases, and stops at the first case that violates the law. Then searches,
 * for a limited time, for smaller cases that violate the same law. The error says how to repeat the
 * smallest case exactly.
 */
export async function holds(
  { name, usual, cases }: Runs,
  law: Law,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const seed = env.LAWS_SEED === undefined ? undefined : whole('LAWS_SEED', env.LAWS_SEED)
  if (env.LAWS_PATH !== undefined) return repeat(cases, seed, env.LAWS_PATH, law)
  const numRuns = env.LAWS_RUNS === undefined ? usual : whole('LAWS_RUNS', env.LAWS_RUNS)
  const from = seed === undefined ? {} : { seed }
  const first = await fc.check(fc.asyncProperty(cases, law), { ...from, numRuns, endOnFailure: true })
  if (!first.failed) return
  const found = { seed: first.seed, path: first.counterexamplePath as string, error: first.errorInstance }
  const { path, error } = await smallest(cases, found, law)
  const lines = [
    `A law is broken (case ${first.numRuns}). To repeat the smallest failing case, run`,
    `  LAWS_SEED=${found.seed} LAWS_PATH=${path} npx vitest run test/laws/laws.test.ts -t '${name}'`,
    '',
    messageOf(error),
  ]
  throw new Error(lines.join('\n'), { cause: error instanceof Error ? error.cause : undefined })
}

/** Tests the law on a single case. */
async function repeat(cases: fc.Arbitrary<Case>, seed: number | undefined, path: string, law: Law): Promise<void> {
  if (seed === undefined) throw new Error('LAWS_PATH needs the LAWS_SEED that was printed beside it.')
  const [one] = fc.sample(cases, { seed, path, numRuns: 1 })
  if (one === undefined)
    throw new Error(`LAWS_SEED=${seed} has no case ${path}. The generators may have changed since the failure.`)
  await law(one)
}

interface Found {
  readonly seed: number
  readonly path: string
  readonly error: unknown
}

/**
 * Searches for smaller cases that violate the same law, and returns the smallest that it finds
 * within the time limit.
 */
async function smallest(cases: fc.Arbitrary<Case>, found: Found, law: Law): Promise<Found> {
  const end = Date.now() + shrinkTimeLimit
  const broken = lawOf(found.error)
  const property = fc.asyncProperty(cases, async (one) => {
    if (Date.now() > end) return
    await law(one).catch((error: unknown) => {
      if (lawOf(error) === broken) throw error
    })
  })
  const least = await fc.check(property, { seed: found.seed, path: found.path, numRuns: 1 })
  // A failure that depends on timing might not recur. In this case, the original failure is
  // reported.
  if (!least.failed) return found
  return { seed: found.seed, path: least.counterexamplePath as string, error: least.errorInstance }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The name of the violated law. If the error is not `Broken`, the first line of its message. */
function lawOf(error: unknown): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof Broken) return one.law
  return messageOf(error).split('\n')[0]
}
