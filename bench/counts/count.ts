/** Compiles what is counted and counts it, under whichever Node is asked for. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Counts } from './budgets.js'
import type { PlantName } from './planted.js'
import type { CountedName } from './workloads.js'

/** What makes one run count as the next: the interpreter alone, for compilers leave out allocations when they see fit, and so much room that nothing is collected meanwhile. */
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

/** The library without its comments, which are no code to run, and the counting itself; beside what others build and run meanwhile. */
export function compile(checkout: string): void {
  const tsc = (...args: string[]): unknown =>
    execFileSync('node_modules/.bin/tsc', args, { cwd: checkout, stdio: 'inherit' })
  tsc('-p', 'bench/tsconfig.json', '--outDir', out)
  tsc('-p', 'tsconfig.build.json', '--removeComments', '--declaration', 'false', '--outDir', join(out, 'library/dist'))
}

/** A workload, or one with a plant: `item+field-copy`. */
export type Counted = CountedName | `${CountedName}+${PlantName}`

/** Of a checkout that is compiled. */
export function count<N extends Counted>(checkout: string, node: string, names: readonly N[]): Record<N, Counts> {
  const [place, major] = [join(checkout, out), Number(versionOf(node).split('.')[0])]
  // Node 20 has no Maglev to do without.
  const all = major < 22 ? flags : [...flags, '--no-maglev']
  const program = [join(place, 'counts/process.js'), join(place, 'library'), ...names]
  const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '', NODE_V8_COVERAGE: '' }
  return JSON.parse(execFileSync(node, [...all, ...program], { encoding: 'utf8', env }))
}

export const versionOf = (node: string): string =>
  execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()
