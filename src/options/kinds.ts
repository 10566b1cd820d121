/**
 * The kinds of options. Each factory has one table of its options by kind, so that the compiler
 * reports an option without a kind, and `checkOptions()` a value of another kind.
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
 * `table` is an object that is neither a list nor a promise; `names` is one string or a list of
 * distinct strings; `any` is not checked. NaN is not a number.
 */
export type Word = 'boolean' | 'string' | 'number' | 'function' | 'table' | 'list' | 'iterable' | 'names' | 'any'

/** One of these values. */
interface OneOf {
  readonly oneOf: readonly unknown[]
}

/** A number within inclusive bounds; `whole`: an integer. */
export interface NumberKind {
  readonly from: number
  readonly to?: number
  /** The bound `from` is exclusive. */
  readonly above?: true
  readonly whole?: true
  /** The unit, such as `milliseconds`. */
  readonly unit?: string
}

/** A string of some form. `a`: its description in messages, such as `a path such as "/live"`. */
export interface TextKind {
  readonly a: string
  /** A regular expression, or an object with an equivalent `test`. */
  readonly like: { test(text: string): boolean }
}

/** A list whose elements are all of one kind. */
export interface ListKind {
  readonly each: Kind
  /** The minimum number of elements. Default 0. */
  readonly min?: number
  /** Its description in messages. Default: derived from `each`. */
  readonly a?: string
}

/** An object with any names, whose values are all of one kind. */
interface TableKind {
  readonly values: Kind
}

/** An option that is itself an object of options. */
export interface NestedKind {
  readonly options: KindTable
  /** Whether other names are allowed, with any values; `x-`: only names with this prefix. */
  readonly open?: true | 'x-'
}

/**
 * A value created by another factory. `by`: how to create it, such as `rateLimit({ limit: 600 })`.
 */
export interface MadeKind {
  readonly by: string
  readonly is: (value: unknown) => boolean
}

/** A required option. */
interface RequiredKind {
  readonly required: Kind
}

/** An option that may be absent but not `undefined`, which would silently disable a check. */
export interface PresentKind {
  readonly present: Kind
}

/** A misplaced name: `instead` says where it belongs. */
interface MisplacedKind {
  readonly instead: string
}

export type KindTable = Readonly<Record<string, Kind>>

/** The kind of each option. A table with a missing or an additional option does not compile. */
export type Kinds<Options> = Readonly<Record<keyof Options, Kind>>

/** An integer of at least 1. */
export const count: NumberKind = Object.freeze({ from: 1, whole: true })

/** Whole milliseconds, at least 1. */
export const milliseconds: NumberKind = Object.freeze({ from: 1, whole: true, unit: 'milliseconds' })

/** Whole bytes, at least 1. */
export const bytes: NumberKind = Object.freeze({ ...count, unit: 'bytes' })

/** Whole milliseconds, from 0 to the longest delay of a Node timer. */
export const timer: NumberKind = Object.freeze({ from: 0, to: longestTimer, whole: true, unit: 'milliseconds' })

/** A function described by `by`, such as `an Express router`. */
export const functionBy = (by: string): MadeKind => ({ by, is: (value) => typeof value === 'function' })

/**
 * An object or function that has a method of this name, such as the return value of another
 * factory.
 */
export const withMethod = (by: string, method: string): MadeKind => ({
  by,
  is: (value) =>
    value !== null &&
    ['object', 'function'].includes(typeof value) &&
    typeof (value as Readonly<Record<string, unknown>>)[method] === 'function',
})
