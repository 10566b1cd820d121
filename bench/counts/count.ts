/** Compiles the counted code and runs the counts under a given Node. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Counts } from './budgets.js'
import type { PlantName } from './planted.js'
import type { CountedName } from './workloads.js'

/**
 * Makes runs comparable: only the interpreter, because compilers omit allocations at their
 * discretion, and a heap large enough that no garbage collection runs meanwhile.
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
 * The library without comments, which are not executed, and the counting code; in a folder of its
 * own, because others may build and run meanwhile.
 */
export function compile(checkout: string): void {
  const tsc = (...args: string[]): unknown =>
    execFileSync('node_modules/.bin/tsc', args, { cwd: checkout, stdio: 'inherit' })
  tsc('-p', 'bench/tsconfig.json', '--outDir', out)
  tsc('-p', 'tsconfig.build.json', '--removeComments', '--declaration', 'false', '--outDir', join(out, 'library/dist'))
}

/** A workload, or one with a planted cost: `item+field-copy`. */
export type Counted = CountedName | `${CountedName}+${PlantName}`

/** Counts the work of a compiled checkout. */
export function count<N extends Counted>(checkout: string, node: string, names: readonly N[]): Record<N, Counts> {
  const [place, major] = [join(checkout, out), Number(versionOf(node).split('.')[0])]
  // Node 20 has no Maglev to turn off.
  const all = major < 22 ? flags : [...flags, '--no-maglev']
  const program = [join(place, 'counts/process.js'), join(place, 'library'), ...names]
  const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '', NODE_V8_COVERAGE: '' }
  return JSON.parse(execFileSync(node, [...all, ...program], { encoding: 'utf8', env }))
}

export const versionOf = (node: string): string =>
  execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()
