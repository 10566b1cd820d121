/**
 * The kinds of option values. Each function with options has a table with the kind of each option.
 * The compiler reports an option without a kind, and `checkOptions()` reports a value of the wrong
 * kind.
 */
import { longestTimer } from '../timeout.js'

export type Kind =
  | Word
  /** A value of any of these kinds is allowed. */
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
 * A kind that needs no settings. `table` is an object that is neither a list nor a promise. `names`
 * is a non-empty string, or a non-empty list of different non-empty strings. `any` allows every
 * value. NaN is not a `number`.
 */
export type Word = 'boolean' | 'string' | 'number' | 'function' | 'table' | 'list' | 'iterable' | 'names' | 'any'

/** One of these values. */
interface OneOf {
  readonly oneOf: readonly unknown[]
}

/** A number from `from` to `to`. If `whole` is set, the number must be a safe integer. */
export interface NumberKind {
  readonly from: number
  readonly to?: number
  /** True if the number must be greater than `from`. */
  readonly above?: true
  readonly whole?: true
  /** The unit, such as `milliseconds`. */
  readonly unit?: string
}

/**
 * A string that matches `like`. The member `a` describes such a string in messages. Example:
 * `a path such as "/live"`.
 */
export interface TextKind {
  readonly a: string
  /** A regular expression, or an object with an equivalent method `test`. */
  readonly like: { test(text: string): boolean }
}

/** A list whose elements are all of one kind. */
export interface ListKind {
  readonly each: Kind
  /** The minimum number of elements. Default 0. */
  readonly min?: number
  /** The description of the list in messages. Default: derived from `each`. */
  readonly a?: string
}

/** An object in which any name is allowed, and all values are of one kind. */
interface TableKind {
  readonly values: Kind
}

/** An option that is itself an object of options. */
export interface NestedKind {
  readonly options: KindTable
  /** The description of the object in messages. Default: the names of the options. */
  readonly a?: string
  /**
   * Whether names that are not in `options` are also allowed, with any values. If `open` is `x-`,
   * these names must begin with `x-`.
   */
  readonly open?: true | 'x-'
}

/**
 * A value that passes the test `is`, such as the result of another function of the library. `by`
 * describes it in messages, such as `the result of usage()`.
 */
export interface MadeKind {
  readonly by: string
  readonly is: (value: unknown) => boolean
}

/** A required option. */
interface RequiredKind {
  readonly required: Kind
}

/**
 * An option that may be absent, but must not be `undefined`, because `undefined` would silently
 * disable a check.
 */
export interface PresentKind {
  readonly present: Kind
}

/** The name of an option that belongs somewhere else. `instead` says where. */
interface MisplacedKind {
  readonly instead: string
}

export type KindTable = Readonly<Record<string, Kind>>

/**
 * The kind of each option. A table that lacks an option, or has an additional option, does not
 * compile.
 */
export type Kinds<Options> = Readonly<Record<keyof Options, Kind>>

/** An integer of at least 1. */
export const count: NumberKind = Object.freeze({ from: 1, whole: true })

/** Whole milliseconds, at least 1. */
export const milliseconds: NumberKind = Object.freeze({ from: 1, whole: true, unit: 'milliseconds' })

/** Whole bytes, at least 1. */
export const bytes: NumberKind = Object.freeze({ ...count, unit: 'bytes' })

/** Whole milliseconds, from 0 to the maximum delay of a Node timer. */
export const timer: NumberKind = Object.freeze({ from: 0, to: longestTimer, whole: true, unit: 'milliseconds' })

/** A function. `by` describes it in messages, such as `an Express router`. */
export const functionBy = (by: string): MadeKind => ({ by, is: (value) => typeof value === 'function' })

/**
 * An object or function that has a method with this name. It is usually the return value of another
 * function of the library.
 */
export const withMethod = (by: string, method: string): MadeKind => ({
  by,
  is: (value) =>
    value !== null &&
    ['object', 'function'].includes(typeof value) &&
    typeof (value as Readonly<Record<string, unknown>>)[method] === 'function',
})
