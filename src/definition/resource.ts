/**
 * `defineResource`: checks and freezes the declaration of a resource. This module is independent of
 * HTTP and of stores.
 */
import type { Scalar } from '../adapters/contract.js'
import { hasBrand } from '../brand.js'
import { invalidOption } from '../options/check.js'
import type { MadeKind } from '../options/kinds.js'
import type { KeyCodec, KeyValue } from './key.js'
import { resolveResource } from './resolve-resource.js'
import type {
  FilterDeprecation,
  FilterOperator,
  FilterTable,
  LinkTable,
  PageOptions,
  ResourceOptions,
  RuleContext,
  RuleViolation,
} from './resource-options.js'
import type { FromSchema, JsonSchema, MemberName } from './schema-types.js'
import type { Shape } from './shape.js'

export type {
  ExternalLinkOptions,
  FilterDeprecation,
  FilterOperator,
  FilterOptions,
  LinkOptions,
  PageOptions,
  ResourceOptions,
  RuleContext,
  RuleViolation,
  SubLinkOptions,
  ToLinkOptions,
} from './resource-options.js'

export interface Filter {
  readonly name: string
  readonly field: string
  readonly path: readonly string[]
  readonly op: FilterOperator
  readonly many: boolean
  /** `undefined` if the filter is not deprecated. */
  readonly deprecated?: FilterDeprecation
}

/** A link to another resource. The record contains the key of the target. */
export interface LinkTo {
  readonly kind: 'to'
  readonly name: string
  readonly to: ResourceDefinition | string
  readonly by: readonly string[]
  readonly show: readonly string[]
  readonly expand: boolean
}

export type Link =
  | LinkTo
  | { readonly kind: 'sub'; readonly name: string; readonly sub: string }
  | { readonly kind: 'external'; readonly name: string }

/**
 * A declared resource: checked, resolved and frozen. `T` is the type of the stored record, `K` the
 * type of its key, and `L` the names of its links.
 */
export interface ResourceDefinition<T = unknown, K = unknown, L extends string = string> {
  readonly collection: string
  /**
   * The name of one item. It is used, for example, for the XML element of an item and for the type
   * in the OpenAPI document.
   */
  readonly singular: string
  readonly key: KeyCodec
  readonly assigned: ReadonlySet<string>
  readonly schema: JsonSchema
  readonly shape: Shape
  readonly filters: ReadonlyMap<string, Filter>
  readonly sort: readonly string[]
  readonly search: true | readonly string[] | undefined
  readonly links: ReadonlyMap<string, Link>
  readonly parent: { readonly of: ResourceDefinition | string; readonly by: readonly string[] } | undefined
  readonly attachedTo: readonly {
    readonly of: ResourceDefinition | string
    readonly by: readonly string[] | undefined
    readonly as: string
  }[]
  /**
   * The flags, by their path segments. Each value is the name of a boolean member. PUT on the
   * segment sets the member to true, and DELETE sets it to false (PATH-8).
   */
  readonly flags: ReadonlyMap<string, string>
  readonly rules:
    | ((next: unknown, context: RuleContext<unknown>) => readonly RuleViolation[] | Promise<readonly RuleViolation[]>)
    | undefined
  readonly scope: ((principal: unknown) => Readonly<Record<string, Scalar>>) | undefined
  readonly page: PageOptions
  readonly cacheControl: string | undefined
  /** Carries types for the compiler. Does not exist at run time. */
  readonly types?: { readonly record: T; readonly key: K; readonly link: L }
}

type KeyNames<T> = MemberName<T> | readonly [MemberName<T>, ...MemberName<T>[]]
type KeyFrom<T, Key> = Key extends readonly string[]
  ? { readonly [N in Key[number] & keyof T]: NonNullable<T[N]> }
  : Key extends keyof T
    ? NonNullable<T[Key]>
    : KeyValue

/** The names of links, except those that are also the name of a member of the stored record. */
type LinkNames<T, Links> = Exclude<keyof Links & string, MemberName<T>>

/**
 * Declares a resource once, for every version in which it is mounted.
 *
 * Throws `ConfigurationError` if an option is invalid, for example if a name violates PATH-2..4, or
 * if a key, filter, sort, link or flag names a member that the schema lacks.
 *
 * @example
 * const sucursales = defineResource({
 *   collection: 'sucursales',
 *   key: 'nomenclatura',
 *   schema: {
 *     type: 'object',
 *     required: ['nomenclatura'],
 *     properties: { nomenclatura: { type: 'string' }, descripcion: { type: 'string' } },
 *   },
 *   filters: { descripcion: true },
 *   sort: ['nomenclatura'],
 * })
 */
export function defineResource<
  const Schema extends JsonSchema,
  const Key extends KeyNames<FromSchema<Schema>>,
  const Filters extends FilterTable = Record<never, never>,
  const Links extends LinkTable = Record<never, never>,
>(
  options: ResourceOptions<FromSchema<Schema>, Schema, Key, Filters, Links>,
): ResourceDefinition<FromSchema<Schema>, KeyFrom<FromSchema<Schema>, Key>, LinkNames<FromSchema<Schema>, Links>>
/** For an imported schema without a literal type: `defineResource<Piece>()({ ... })`. */
export function defineResource<T>(): <
  const Key extends KeyNames<T>,
  const Filters extends FilterTable = Record<never, never>,
  const Links extends LinkTable = Record<never, never>,
>(
  options: ResourceOptions<T, JsonSchema, Key, Filters, Links>,
) => ResourceDefinition<T, KeyFrom<T, Key>, LinkNames<T, Links>>
export function defineResource(options?: unknown): unknown {
  return options === undefined ? resolveResource : resolveResource(options)
}

/** Whether a value is the result of `defineResource()`. */
const isDefinition = (value: unknown): value is ResourceDefinition => hasBrand('resource', value)

/** The expected type of an option that takes a definition. */
export const definitionKind: MadeKind = { by: 'the result of defineResource()', is: isDefinition }

/** Throws `ConfigurationError` for an argument that is missing or is not a definition. */
export function checkDefinition(what: string, given: unknown): void {
  if (!isDefinition(given)) throw invalidOption(`${what} got no definition. Give the result of defineResource().`)
}
