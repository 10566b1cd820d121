/** What a resource can be mounted with, and what the compiler says where it is of another resource. */
import type { Adapter } from '../adapters/contract.js'
import type { ResourceDefinition } from '../definition/resource.js'

/**
 * An adapter that learns its resource where it is mounted, so that the definition need not be named twice. Each mount binds it anew.
 *
 * @example const inTable = (table: string): UnboundAdapter<Sucursal, string> => ({ bind: ({ key }) => tableAdapter(table, key.members) })
 */
export interface UnboundAdapter<T, K> {
  /** The adapter of this resource. Called once by each `mount()`; what it throws, that throws. */
  bind(definition: ResourceDefinition<T, K>): Adapter<T, K>
}

/** An adapter of these records and keys, or one that is bound to their definition. */
export type MountedAdapter<T, K> = Adapter<T, K> | UnboundAdapter<T, K>

/**
 * The parameter that takes an adapter of type `A` for a definition of records `T` and keys `K`. An
 * adapter of another resource meets a sentence here, so that the compiler's error is one line. All
 * else meets `MountedAdapter` itself, which also types the parameters of an adapter that is written
 * in place, and points to the member that is wrong. So does `never`, which stands for `A` while the
 * compiler infers what a generic factory makes for this place.
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
    ? Unlike<T, K, R, A>
    : 'This adapter is of another resource: its keys have another type.'
  : `This adapter is of another resource: its records have no ${Missing<T, R>}.`

/** Only of an adapter that has its type by name: one that is written in place has the fault in place. */
type Unlike<T, K, R, A> = [keyof Adapter<T, K>, OtherType<T, R>] extends [keyof A, string]
  ? [OtherType<T, R>] extends [never]
    ? MountedAdapter<T, K>
    : `This adapter has records of another type than the definition: see ${OtherType<T, R>}.`
  : MountedAdapter<T, K>

/** The names of members that have a type of their own in `R`. */
type OtherType<T, R> = { [N in keyof T & keyof R]-?: R[N] extends T[N] ? never : N }[keyof T & keyof R] & string

/** The names that every record of `T` has, and none of `R`. */
type Missing<T, R> = Exclude<{ [N in keyof T]-?: Record<never, never> extends Pick<T, N> ? never : N }[keyof T], keyof R> & string
