/** Compiles the library and the counting code, and runs the counts with a given Node binary. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Counts } from './budgets.js'
import type { PlantName } from './planted.js'
import type { CountedName } from './workloads.js'

/**
 * V8 flags that make runs comparable. All code runs in the interpreter, because an optimizing
 * compiler may omit allocations. The heap is so large that no garbage collection runs during the
 * measurement.
 */
const flags = [
  '--expose-gc',
  '--no-opt',
  '--no-sparkplug',
  '--no-lazy-feedback-allocation',
  '--no-incremental-marking',
  '--min-semi-space-size=64',
  '--max-semi-space-size=128',
]

const out = 'build/counts'

/**
 * Compiles the library and the counting code into a separate folder, because other builds may run
 * at the same time. Removes the library's comments, because comments must not count as executed
 * code.
 */
export function compile(checkout: string): void {
  const tsc = (...args: string[]): unknown =>
    execFileSync('node_modules/.bin/tsc', args, { cwd: checkout, stdio: 'inherit' })
  tsc('-p', 'bench/tsconfig.json', '--outDir', out)
  tsc('-p', 'tsconfig.build.json', '--removeComments', '--declaration', 'false', '--outDir', join(out, 'library/dist'))
}

/**
 * A workload such as `item`, or a workload with an additional cost from `planted.ts`, such as
 * `item+field-copy`.
 */
export type Counted = CountedName | `${CountedName}+${PlantName}`

/** Counts the work that requests of the named workloads cause in a compiled checkout. */
export function count<N extends Counted>(checkout: string, node: string, names: readonly N[]): Record<N, Counts> {
  const [place, major] = [join(checkout, out), Number(versionOf(node).split('.')[0])]
  // Node 20 does not have the compiler Maglev.
  const all = major < 22 ? flags : [...flags, '--no-maglev']
  const program = [join(place, 'counts/process.js'), join(place, 'library'), ...names]
  const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '', NODE_V8_COVERAGE: '' }
  return JSON.parse(execFileSync(node, [...all, ...program], { encoding: 'utf8', env }))
}

export const versionOf = (node: string): string =>
  execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()
