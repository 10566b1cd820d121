/** What a team writes to declare a resource, typed by the record that its schema describes. */
import type { Scalar } from '../adapters/contract.js'
import type { ParamValue } from '../violation.js'
import type { ResourceDefinition } from './resource.js'
import type { BooleanMember, Comparable, MemberName, MemberPath, PathTo } from './schema-types.js'

/** How a filter compares (QUERY-1): `eq` by default; `null` asks for nulls, `contains` is for arrays. */
export type FilterOperator = 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'null'

export interface FilterOptions<Path extends string = string> {
  /** The member it compares. Default: the member of the filter's own name. */
  readonly field?: Path
  /** Default `eq`. */
  readonly op?: FilterOperator
  /** The parameter may be repeated and means any of its values. Only with `eq`. Default false. */
  readonly many?: boolean
  /**
   * It is on its way out (VER-3): documents say so, with `sunset` (such as `2027-12-31`) and the filter to `use` in its place; `onResponse` is
   * notified of its use. Default: it is deprecated where its member is.
   */
  readonly deprecated?: true | FilterDeprecation
}

/** How long a deprecated filter is served, and what takes its place. */
export interface FilterDeprecation {
  readonly sunset?: string
  readonly use?: string
}

/** A link to another resource: on the wire `{ href, ...shown }` stands in the place of the stored members `by` (REP-1). */
export interface ToLinkOptions {
  /** The target, or its collection's name where two definitions refer to each other. */
  readonly to: ResourceDefinition | string
  /** The stored member that holds the target's key; a list, in the order of its parts, where that is composite. */
  readonly by: string | readonly string[]
  /** Members of the target that stand next to `href`. They cost one batched read a page. */
  readonly show?: readonly string[]
  /** Whether `expand` may name it. Default true. */
  readonly expand?: boolean
}

/** A link to a sub-collection of the resource itself: just its `href`. */
export interface SubLinkOptions {
  readonly sub: string
}

/** A link that the record stores whole, `href` (possibly null) and all. */
export interface ExternalLinkOptions {
  readonly external: true
}

export type LinkOptions = ToLinkOptions | SubLinkOptions | ExternalLinkOptions

/** What a rule finds wrong with the record as it would be stored: 422 (ERR-2). */
export interface RuleViolation {
  /** The member on the wire, nested ones with dots. Absent: the whole record. */
  readonly member?: string
  readonly detail: string
  /** A stable word of your own for it. Default `rule`. */
  readonly code?: string
  /** What a client needs to say it in its own words: scalars, or lists of them. */
  readonly params?: Readonly<Record<string, ParamValue | readonly ParamValue[]>>
}

export interface RuleContext<T> {
  /** The record as it is stored now; absent on a create. */
  readonly current: T | undefined
  readonly action: 'create' | 'replace' | 'patch'
  readonly principal: unknown
}

export interface PageOptions {
  /** Items per page when the request does not say. Default 25. */
  readonly size?: number
  /** The most a request may ask for. Default 100. */
  readonly max?: number
  /** What the wire calls the first page. Default 1. */
  readonly first?: 0 | 1
}

export type FilterTable = Readonly<Record<string, true | FilterOptions>>
export type LinkTable = Readonly<Record<string, LinkOptions>>

/** A filter must name a member, itself or by `field`, that can be compared so, and have no other options. */
type CheckedFilters<T, F> = {
  readonly [N in keyof F]: F[N] extends true
    ? NamedFilter<N, PathTo<T, Scalar>>
    : NamedFilter<N, ComparedBy<T, F[N]>> & { readonly [Stray in Exclude<keyof F[N], keyof FilterOptions>]: never }
}

type NamedFilter<N, Path extends string> = N extends Path ? true | FilterOptions<Path> : FilterOptions<Path> & { readonly field: Path }

/** The members that an operator compares; all of them where it is not known. */
type ComparedBy<T, Given> = Given extends { readonly op: infer Op }
  ? [Op] extends ['contains']
    ? PathTo<T, readonly unknown[]>
    : [Extract<Op, 'contains' | 'null'>] extends [never]
      ? PathTo<T, Scalar>
      : MemberPath<T>
  : PathTo<T, Scalar>

/** A link must name stored members by which it leads, and members of its target to show. */
type CheckedLinks<T, L> = {
  readonly [N in keyof L]: L[N] extends { readonly to: infer To }
    ? ToLinkOptions & {
        readonly by: MemberName<T> | readonly MemberName<T>[]
        readonly show?: To extends ResourceDefinition<infer Target> ? readonly MemberName<Target>[] : readonly string[]
      }
    : L[N] extends { readonly external: true }
      ? N extends MemberName<T>
        ? ExternalLinkOptions
        : never
      : SubLinkOptions
}

/** What a resource is declared by. `T` is the stored record. */
export interface ResourceOptions<T, Schema, Key, Filters, Links> {
  /** The path segment: a plural noun, English or Spanish (PATH-2). */
  readonly collection: string
  /**
   * What one member is called, where a format names it: the root element of an item in XML, and the elements of a list (HDR-1). Default: the singular of `collection`,
   * as far as its ending tells.
   */
  readonly singular?: string
  /** Exceptions from the naming rules, name by name, each with its reason (PATH-10). */
  readonly allow?: Readonly<Record<string, string>>
  /** The member that identifies a record, or several: one path segment of key-value pairs (PATH-9). */
  readonly key: Key
  /** Members of the key that the store assigns when a POST leaves them out; `true` for the whole key. */
  readonly assigned?: true | readonly MemberName<T>[]
  /** JSON Schema 2020-12 of the stored record. Closed unless it says `additionalProperties: true` (REP-8). */
  readonly schema: Schema
  /** Query parameters that filter (QUERY-1). */
  readonly filters?: Filters & CheckedFilters<T, NoInfer<Filters>>
  /** Members that `sort` may name (QUERY-2). */
  readonly sort?: readonly PathTo<T, Scalar>[]
  /** The members `q` looks through; `true` where the store's engine knows by itself (QUERY-3). */
  readonly search?: true | readonly MemberPath<T>[]
  readonly links?: Links & CheckedLinks<T, NoInfer<Links>>
  /** Makes this a contained sub-collection: the child stores its parent's key in `by` (PATH-7). */
  readonly parent?: { readonly of: ResourceDefinition | string; readonly by: MemberName<T> | readonly MemberName<T>[] }
  /** Parents to whose sub-collection a record of this resource can be attached (PATH-7, VERB-4). */
  readonly attachedTo?: readonly {
    readonly of: ResourceDefinition | string
    /** The nullable member that holds the parent's key, where it is one; without it the store keeps the association. */
    readonly by?: MemberName<T> | readonly MemberName<T>[]
    /** The segment under the parent. Default: the collection. */
    readonly as?: string
  }[]
  /** Sub-resources that a PUT sets and a DELETE unsets, each a boolean member (PATH-8). */
  readonly flags?: Readonly<Record<string, BooleanMember<T>>>
  /** Rules that a schema can't say. Called after it, within each attempt at the write. */
  readonly rules?: (next: T, context: RuleContext<T>) => readonly RuleViolation[] | Promise<readonly RuleViolation[]>
  /** Equalities that every list, count, read and write of a principal obeys: tenant, owner. */
  // A method, so that its parameter may be typed as the principals of the service are.
  scope?(principal: unknown): { readonly [N in MemberName<T>]?: Comparable<T[N]> }
  readonly page?: PageOptions
  /** The `Cache-Control` of representations. Default `no-cache`, with `private` where there are principals (HDR-6). */
  readonly cacheControl?: string
}
