/**
 * JSON Web Keys (RFC 7517 4, RFC 7518 6), declared structurally, since the name of Node's own type
 * changes between releases of its declarations.
 */

/** The members that the library reads or passes on. */
interface JwkMembers {
  readonly kty?: string | undefined
  readonly kid?: string | undefined
  readonly alg?: string | undefined
  readonly use?: string | undefined
  readonly key_ops?: readonly string[] | undefined
  readonly crv?: string | undefined
  readonly x?: string | undefined
  readonly y?: string | undefined
  readonly n?: string | undefined
  readonly e?: string | undefined
  readonly d?: string | undefined
  readonly k?: string | undefined
}

/** A JSON Web Key (RFC 7517), of any type that a service uses for one. */
export type Jwk = JwkMembers | Readonly<Record<string, unknown>>
