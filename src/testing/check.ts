/** The types of checks, and helpers that several checks use. */
import type { Subject, subjects } from './fixtures.js'
import type { Stage } from './stage.js'

/** An optional method of an adapter. */
export type OptionalMethod = 'create' | 'replace' | 'remove' | 'attach' | 'detach' | 'recall'

/** A feature that an adapter must offer for a check to apply. */
export type Need = OptionalMethod | 'total' | 'search'

export interface Check {
  /** The id of the check. An id never changes. */
  readonly id: string
  /** The requirement of the contract that the check verifies. */
  readonly title: string
  /**
   * The resource that the check uses. `any` stands for the resource in the option `subject` or,
   * without this option, for `parcels`.
   */
  readonly on: keyof typeof subjects | 'any'
  /** The features that the check needs. Default: none. */
  readonly needs?: readonly Need[]
  /** Returns the reason why the check can't run with a resource. Returns `undefined` if it can. */
  readonly lacks?: (subject: Subject) => string | undefined
  readonly run: (stage: Stage) => Promise<void>
}

/** The number of rounds in checks whose result depends on how calls interleave. */
export const rounds = 8

/** Waits for `count` microtasks, so that calls to a store in this process interleave. */
export async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await undefined
}

/** The integers from 0 to `count - 1`. */
export const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)
