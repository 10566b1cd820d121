/** The parts of a check. */
import type { Subject, subjects } from './fixtures.js'
import type { Stage } from './stage.js'

/** An optional method of an adapter. */
export type OptionalMethod = 'create' | 'replace' | 'remove' | 'attach' | 'detach' | 'recall'

/** The features that an adapter must offer for a check to apply. */
export type Need = OptionalMethod | 'total' | 'search'

export interface Check {
  /** Identifies the check. Never changes. */
  readonly id: string
  /** The requirement of the contract that it verifies. */
  readonly title: string
  /** The fixture that it uses. `any` is the option `subject`, if given, otherwise parcels. */
  readonly on: keyof typeof subjects | 'any'
  /** Default: none. */
  readonly needs?: readonly Need[]
  /** Why it can't run on this resource; `undefined` if it can. */
  readonly lacks?: (subject: Subject) => string | undefined
  readonly run: (stage: Stage) => Promise<void>
}

/** The number of rounds of checks that depend on how calls interleave. */
export const rounds = 8

/** Waits for `count` microtasks, so that calls of a store in this process interleave. */
export async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await undefined
}

/** The integers from 0 to `count - 1`. */
export const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)
