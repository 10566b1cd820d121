/**
 * What an option may be. Each factory has one table of its options by kind, so that the compiler
 * finds an option without a kind, and `checkOptions()` finds a value of another kind.
 */
import { longestTimer } from '../timeout.js'

export type Kind =
  | Word
  /** Any of these kinds. */
  | readonly Kind[]
  | OneOf
  | NumberKind
  | TextKind
  | ListKind
  | TableKind
  | NestedKind
  | MadeKind
  | RequiredKind
  | PresentKind
  | MisplacedKind

/**
 * `table` is an object that is neither a list nor a promise; `names` one text or a list of different
 * ones; `any` is not looked at. NaN is no number.
 */
export type Word = 'boolean' | 'string' | 'number' | 'function' | 'table' | 'list' | 'iterable' | 'names' | 'any'

/** One of these values. */
interface OneOf {
  readonly oneOf: readonly unknown[]
}

/** A number within bounds, both allowed; `whole` without a fraction. */
export interface NumberKind {
  readonly from: number
  readonly to?: number
  /** `from` itself is not allowed. */
  readonly above?: true
  readonly whole?: true
  /** What it counts, such as `milliseconds`. */
  readonly unit?: string
}

/** A text of some form. `a`: what to give, such as `a path such as "/live"`. */
export interface TextKind {
  readonly a: string
  /** A regular expression, or what tests texts as one does. */
  readonly like: { test(text: string): boolean }
}

/** A list whose elements are all of one kind. */
export interface ListKind {
  readonly each: Kind
  /** How many elements it has at least. Default 0. */
  readonly least?: number
  /** How messages call the list. Default: from `each`. */
  readonly a?: string
}

/** An object whose values are all of one kind, whatever their names. */
interface TableKind {
  readonly values: Kind
}

/** Options in an option. */
export interface NestedKind {
  readonly options: KindTable
  /** Names beside these are allowed, and their values not looked at; `x-`: those that begin so. */
  readonly open?: true | 'x-'
}

/** What another factory makes. `by`: what to write, such as `rateLimit({ limit: 600 })`. */
export interface MadeKind {
  readonly by: string
  readonly is: (value: unknown) => boolean
}

/** An option that must be given. */
interface RequiredKind {
  readonly required: Kind
}

/** An option that may be left out, and may not stand there as `undefined`: it would quietly check nothing. */
export interface PresentKind {
  readonly present: Kind
}

/** A name that callers give here and that belongs elsewhere: `instead` says where. */
interface MisplacedKind {
  readonly instead: string
}

export type KindTable = Readonly<Record<string, Kind>>

/** The kind of each option: an option that is missing here, or one too many, does not compile. */
export type Kinds<Options> = Readonly<Record<keyof Options, Kind>>

/** A whole number from 1. */
export const count: NumberKind = Object.freeze({ from: 1, whole: true })

/** Milliseconds, whole, from 1. */
export const milliseconds: NumberKind = Object.freeze({ from: 1, whole: true, unit: 'milliseconds' })

/** Bytes, whole, from 1. */
export const bytes: NumberKind = Object.freeze({ ...count, unit: 'bytes' })

/** Whole milliseconds that a timer of Node takes; 0 too. */
export const timer: NumberKind = Object.freeze({ from: 0, to: longestTimer, whole: true, unit: 'milliseconds' })

/** A function that does what `by` says, such as `an Express router`. */
export const functionBy = (by: string): MadeKind => ({ by, is: (value) => typeof value === 'function' })

/** An object or function with a method of this name, as another factory makes it. */
export const withMethod = (by: string, method: string): MadeKind => ({
  by,
  is: (value) =>
    value !== null &&
    ['object', 'function'].includes(typeof value) &&
    typeof (value as Readonly<Record<string, unknown>>)[method] === 'function',
})
