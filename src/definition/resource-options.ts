/**
 * The options that declare a resource. Their types depend on the record that the schema describes.
 */
import type { Scalar } from '../adapters/contract.js'
import type { ParamValue } from '../violation.js'
import type { ResourceDefinition } from './resource.js'
import type { BooleanMember, Comparable, MemberName, MemberPath, PathTo } from './schema-types.js'

/**
 * The comparison that a filter makes (QUERY-1). Default `eq`. `null` tests whether the member is
 * null. `contains` tests whether an array contains the value.
 */
export type FilterOperator = 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'null'

export interface FilterOptions<Path extends string = string> {
  /** The member to compare. Default: the member with the filter's own name. */
  readonly field?: Path
  /** Default `eq`. */
  readonly op?: FilterOperator
  /**
   * Whether the parameter may occur several times in a query. A record matches if it has any of the
   * values. Allowed only with `eq`. Default false.
   */
  readonly many?: boolean
  /**
   * Marks the filter as deprecated (VER-3). OpenAPI documents show the deprecation, with the
   * `sunset` and the filter to `use` instead. The hook `onResponse` reports each use of the filter.
   * Default: the filter is deprecated if its member is deprecated.
   */
  readonly deprecated?: true | FilterDeprecation
}

/**
 * The announced end of a deprecated filter, such as `2027-12-31`, and the filter that replaces it.
 */
export interface FilterDeprecation {
  readonly sunset?: string
  readonly use?: string
}

/**
 * A link to another resource. In bodies, the link is an object with `href` and the target's members
 * in `show`. It replaces the stored members that `by` names. Of these members, only those that
 * belong to the record's own key, or hold its parent's key, stay in bodies (REP-1).
 */
export interface ToLinkOptions {
  /** The target, or the name of its collection if two definitions refer to each other. */
  readonly to: ResourceDefinition | string
  /**
   * The stored member that holds the target's key. For a composite key, this is a list of members
   * in the order of the key's parts.
   */
  readonly by: string | readonly string[]
  /**
   * Members of the target to show next to `href`. For each page, the targets of the link are read
   * in one batch.
   */
  readonly show?: readonly string[]
  /** Whether `expand` may name the link. Default true. */
  readonly expand?: boolean
}

/** A link to a sub-collection of the resource itself. In bodies, the link has only an `href`. */
export interface SubLinkOptions {
  readonly sub: string
}

/** A link that the record stores completely, including its `href`. The `href` may be null. */
export interface ExternalLinkOptions {
  readonly external: true
}

export type LinkOptions = ToLinkOptions | SubLinkOptions | ExternalLinkOptions

/**
 * A violation that a rule finds in a record before the record is stored. The response is 422
 * (ERR-2).
 */
export interface RuleViolation {
  /**
   * The member that violates the rule, by its name in bodies. The path of a nested member has dots.
   * Default: the whole record.
   */
  readonly member?: string
  readonly detail: string
  /** A stable code of your own. Default `rule`. */
  readonly code?: string
  /** Data from which a client can build a message of its own: scalars, or lists of them. */
  readonly params?: Readonly<Record<string, ParamValue | readonly ParamValue[]>>
}

export interface RuleContext<T> {
  /** The stored record; `undefined` on a create. */
  readonly current: T | undefined
  readonly action: 'create' | 'replace' | 'patch'
  readonly principal: unknown
}

/** Page settings of a resource or of a whole service. Those of a resource take precedence. */
export interface PageOptions {
  /**
   * The number of items per page, if the request does not set `limit`. Default 25, or `max` if that
   * is less.
   */
  readonly size?: number
  /**
   * The maximum number of items per page that a request may ask for. Default 100, or `size` if that
   * is greater.
   */
  readonly max?: number
  /** The number of the first page in requests. Default 1. */
  readonly first?: 0 | 1
}

export type FilterTable = Readonly<Record<string, true | FilterOptions>>
export type LinkTable = Readonly<Record<string, LinkOptions>>

/**
 * The type that checks filters. The member that a filter compares, named by `field` or by the
 * filter's own name, must be comparable. A filter must not have unknown options.
 */
type CheckedFilters<T, F> = {
  readonly [N in keyof F]: F[N] extends true
    ? NamedFilter<N, PathTo<T, Scalar>>
    : NamedFilter<N, ComparedBy<T, F[N]>> & { readonly [Stray in Exclude<keyof F[N], keyof FilterOptions>]: never }
}

type NamedFilter<N, Path extends string> = N extends Path
  ? true | FilterOptions<Path>
  : FilterOptions<Path> & { readonly field: Path }

/**
 * The members that an operator can compare; all members for the operator `null`, or if the operator
 * is not known at compile time.
 */
type ComparedBy<T, Given> = Given extends { readonly op: infer Op }
  ? [Op] extends ['contains']
    ? PathTo<T, readonly unknown[]>
    : [Extract<Op, 'contains' | 'null'>] extends [never]
      ? PathTo<T, Scalar>
      : MemberPath<T>
  : PathTo<T, Scalar>

/**
 * The type that checks links. A link must name the stored members that hold the key of its target.
 * It may name members of the target to show.
 */
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

/** The options that declare a resource. `T` is the stored record. */
export interface ResourceOptions<T, Schema, Key, Filters, Links> {
  /** The path segment: a plural noun, English or Spanish (PATH-2). */
  readonly collection: string
  /**
   * The name of one item, for formats that need such a name. In XML, it is the name of the root
   * element of an item, and of the elements of a list (HDR-1). Default: the singular of
   * `collection`, derived from its ending.
   */
  readonly singular?: string
  /** Names that are exceptions to the naming rules, each with the reason (PATH-10). */
  readonly allow?: Readonly<Record<string, string>>
  /**
   * The member that identifies a record, or several members for a composite key. In a path, a
   * composite key is one segment of pairs such as `part=value` (PATH-9).
   */
  readonly key: Key
  /** Members of the key that the store assigns if a POST omits them; `true` for the whole key. */
  readonly assigned?: true | readonly MemberName<T>[]
  /**
   * The JSON Schema 2020-12 of the stored record. Members that the schema does not name are
   * refused, unless it allows them, for example with `additionalProperties: true` (REP-8).
   */
  readonly schema: Schema
  /** The query parameters that filter the list (QUERY-1). */
  readonly filters?: Filters & CheckedFilters<T, NoInfer<Filters>>
  /** Members that `sort` may name (QUERY-2). */
  readonly sort?: readonly PathTo<T, Scalar>[]
  /** The members that `q` searches; `true` if the store's search engine decides (QUERY-3). */
  readonly search?: true | readonly MemberPath<T>[]
  readonly links?: Links & CheckedLinks<T, NoInfer<Links>>
  /**
   * Makes this resource a contained sub-collection of a parent. Its records store the parent's key
   * in the members that `by` names (PATH-7).
   */
  readonly parent?: { readonly of: ResourceDefinition | string; readonly by: MemberName<T> | readonly MemberName<T>[] }
  /**
   * Parents that have a sub-collection to which existing records of this resource can be added
   * (PATH-7, VERB-4).
   */
  readonly attachedTo?: readonly {
    readonly of: ResourceDefinition | string
    /**
     * The nullable member that holds the parent's key, or a list of such members in the order of
     * the key's parts. If `by` is omitted, the store keeps the association elsewhere, for example
     * in a join table.
     */
    readonly by?: MemberName<T> | readonly MemberName<T>[]
    /** The path segment below the parent. Default: the name of the collection. */
    readonly as?: string
  }[]
  /**
   * The flags, by their path segments. Each value is the name of the boolean member that PUT on the
   * segment sets and DELETE unsets (PATH-8).
   */
  readonly flags?: Readonly<Record<string, BooleanMember<T>>>
  /**
   * Checks rules that a schema can't express. The function is called after schema validation, in
   * each attempt to write the record.
   */
  readonly rules?: (next: T, context: RuleContext<T>) => readonly RuleViolation[] | Promise<readonly RuleViolation[]>
  /**
   * Returns the values that certain members must have in every record that a principal may access,
   * such as `{ tenant: 7 }`. These conditions apply to every list, count, read and write.
   */
  // Declared as a method, so that the parameter may have the type of the service's principals.
  scope?(principal: unknown): { readonly [N in MemberName<T>]?: Comparable<T[N]> }
  readonly page?: PageOptions
  /**
   * The `Cache-Control` of representations. Default `no-cache`, with `private` for authenticated
   * callers (HDR-6).
   */
  readonly cacheControl?: string
}
