/** What a check is made of. */
import type { Subject, subjects } from './fixtures.js'
import type { Stage } from './stage.js'

/** A method that an adapter may leave out. */
export type OptionalMethod = 'create' | 'replace' | 'remove' | 'attach' | 'detach' | 'recall'

/** What an adapter has to offer for a check to make sense. */
export type Need = OptionalMethod | 'total' | 'search'

export interface Check {
  /** Never changes: what a check is known by. */
  readonly id: string
  /** The sentence of the contract that it holds the adapter to. */
  readonly title: string
  /** The fixture it is played on; `any` is a resource of the team's, where it gave one, else parcels. */
  readonly on: keyof typeof subjects | 'any'
  /** Default: nothing. */
  readonly needs?: readonly Need[]
  /** Why it can't be played on this resource; `undefined` where it can. */
  readonly lacks?: (subject: Subject) => string | undefined
  readonly run: (stage: Stage) => Promise<void>
}

/** Rounds of whatever depends on how calls interleave. */
export const rounds = 8

/** Waits for `count` microtasks, so that calls of a store in this process interleave. */
export async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await undefined
}

/** Whole numbers from 0. */
export const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)
