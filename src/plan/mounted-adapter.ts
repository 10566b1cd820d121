/** The types of adapters that `mount()` accepts, and the compiler's messages for a mismatch. */
import type { Adapter } from '../adapters/contract.js'
import type { ResourceDefinition } from '../definition/resource.js'

/**
 * An adapter that gets its definition when it is mounted, so that the definition need not be named
 * twice. Each mount binds the adapter again.
 *
 * @example
 * const inTable = (table: string): UnboundAdapter<Sucursal, string> => ({
 *   bind: ({ key }) => tableAdapter(table, key.members),
 * })
 */
export interface UnboundAdapter<T, K> {
  /**
   * Returns the adapter of this resource. `mount()` calls `bind` once, and does not catch the
   * errors that `bind` throws.
   */
  bind(definition: ResourceDefinition<T, K>): Adapter<T, K>
}

/**
 * An adapter of records `T` and keys `K`, or an unbound adapter whose method `bind` returns such an
 * adapter.
 */
export type MountedAdapter<T, K> = Adapter<T, K> | UnboundAdapter<T, K>

/**
 * The type of the adapter parameter of `mount()`, if the argument has the type `A` and the
 * definition has records `T` and keys `K`:
 * - If the adapter matches the definition, the type is `A`. If the type of its records names no
 *   members, only the keys are compared. This is the case for an `adapterView()` without type
 *   arguments that is stored in a variable.
 * - If the adapter belongs to another resource, the type is a string literal: a sentence that the
 *   compiler shows as a one-line error.
 * - In all other cases, and if `A` is `never`, the type is `MountedAdapter`. The compiler can then
 *   infer the parameter types of an inline adapter, and reports an error at the member that does
 *   not match. `A` is `never` while the compiler infers the result of a generic factory.
 */
export type AdapterFor<T, K, A> = [A] extends [never]
  ? MountedAdapter<T, K>
  : [A] extends [MountedAdapter<T, K>]
    ? A
    : A extends UnboundAdapter<infer R, infer J> | (Lists<infer R> & Reads<infer J>)
      ? Mismatch<T, K, R, J, A>
      : MountedAdapter<T, K>

interface Lists<R> {
  list(...given: never): ReturnType<Adapter<R, never>['list']>
}

interface Reads<J> {
  read(keys: readonly J[], ...given: never): unknown
}

type Mismatch<T, K, R, J, A> = [Missing<T, R>] extends [never]
  ? [K] extends [J]
    ? string extends keyof R
      ? A
      : Unlike<T, K, R, A>
    : 'This adapter belongs to another resource: its keys have another type.'
  : `This adapter belongs to another resource: its records have no ${Missing<T, R>}.`

/**
 * The type for an adapter whose keys match the definition but whose records do not. For an adapter
 * with a named type, this type is a sentence that the compiler shows. For an inline adapter, the
 * compiler reports the error at the member that does not match.
 */
type Unlike<T, K, R, A> = [keyof Adapter<T, K>, OtherType<T, R>] extends [keyof A, string]
  ? [OtherType<T, R>] extends [never]
    ? MountedAdapter<T, K>
    : `This adapter has records of another type than the definition: see ${OtherType<T, R>}.`
  : MountedAdapter<T, K>

/** The names of the members that have another type in `R` than in `T`. */
type OtherType<T, R> = { [N in keyof T & keyof R]-?: R[N] extends T[N] ? never : N }[keyof T & keyof R] & string

/** The names of the members that `T` requires and `R` does not have. */
type Missing<T, R> = Exclude<
  { [N in keyof T]-?: Record<never, never> extends Pick<T, N> ? never : N }[keyof T],
  keyof R
> &
  string
