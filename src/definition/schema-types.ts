/** Derives the TypeScript type of a record from the literal type of a JSON Schema. */
import type { Scalar } from '../adapters/contract.js'

/** A JSON Schema 2020-12. It may be written as a literal or imported. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * The type of the values that schema `S` allows. Supports `type`, `properties`, `required`,
 * `items`, `enum`, `const`, `anyOf`, `oneOf` and `$ref`s to `$defs`. If a schema has several of
 * `$ref`, `const`, `enum`, `type`, `anyOf` and `oneOf`, only the first of them in this order
 * counts. Other keywords, such as `allOf` and `if`, are ignored. The type is `unknown` for schemas
 * that have only other keywords. It is `unknown`, or an object with `unknown` members, for imported
 * schemas without literal types. Use `defineResource<T>()` for these schemas.
 */
export type FromSchema<S, Root = S> = S extends { readonly $ref: `#/$defs/${infer Name}` }
  ? Root extends { readonly $defs: { readonly [N in Name]: infer Target } }
    ? FromSchema<Target, Root>
    : unknown
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly type: readonly (infer Type)[] }
        ? OfType<S, Type, Root>
        : S extends { readonly type: infer Type }
          ? OfType<S, Type, Root>
          : S extends { readonly anyOf: readonly (infer Branch)[] }
            ? FromSchema<Branch, Root>
            : S extends { readonly oneOf: readonly (infer Branch)[] }
              ? FromSchema<Branch, Root>
              : S extends { readonly properties: unknown }
                ? ObjectOf<S, Root>
                : unknown

type OfType<S, Type, Root> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { readonly items: infer Items }
            ? FromSchema<Items, Root>[]
            : unknown[]
          : Type extends 'object'
            ? ObjectOf<S, Root>
            : string extends Type
              ? S extends { readonly properties: unknown }
                ? ObjectOf<S, Root>
                : unknown
              : never

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never

type ObjectOf<S, Root> = S extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [N in keyof Properties as N extends RequiredOf<S> ? N : never]: FromSchema<Properties[N], Root> } & {
        -readonly [N in keyof Properties as N extends RequiredOf<S> ? never : N]?: FromSchema<Properties[N], Root>
      }
    >
  : Record<string, unknown>

type Flat<T> = { [N in keyof T]: T[N] }

/** The names of a record's top-level members. */
export type MemberName<T> = keyof T & string

type Shallower = [never, 0, 1, 2]

/**
 * The paths of all members, up to four levels deep. A nested member has a path with dots, such as
 * `address.city`.
 */
export type MemberPath<T, Depth extends number = 3> = [Depth] extends [never]
  ? never
  : { [N in MemberName<T>]: N | NestedPath<N, NonNullable<T[N]>, Depth> }[MemberName<T>]

type NestedPath<N extends string, T, Depth extends number> = T extends readonly unknown[]
  ? never
  : T extends object
    ? `${N}.${MemberPath<T, Shallower[Depth] & number>}`
    : never

/** The paths of the members whose value may have the type `Value`. */
export type PathTo<T, Value, Depth extends number = 3> = [Depth] extends [never]
  ? never
  : {
      [N in MemberName<T>]-?:
        | (unknown extends T[N] ? N : [Extract<NonNullable<T[N]>, Value>] extends [never] ? never : N)
        | NestedPathTo<N, NonNullable<T[N]>, Value, Depth>
    }[MemberName<T>]

type NestedPathTo<N extends string, T, Value, Depth extends number> = T extends readonly unknown[]
  ? never
  : T extends object
    ? `${N}.${PathTo<T, Value, Shallower[Depth] & number>}`
    : never

/**
 * The type of the values with which a member may be compared. For a member of type `'a' | 'b' |
 * null`, this is `string`.
 */
export type Comparable<V> = unknown extends V
  ? Scalar
  : V extends string
    ? string
    : V extends number
      ? number
      : V extends boolean
        ? boolean
        : never

/** The members whose value may be a boolean. */
export type BooleanMember<T> = {
  [N in MemberName<T>]-?: unknown extends T[N] ? N : boolean extends NonNullable<T[N]> ? N : never
}[MemberName<T>]
