/**
 * The type of JSON Web Keys (RFC 7517 4, RFC 7518 6). The library declares a type of its own,
 * because the name of Node's type changes between releases of Node's type declarations.
 */

/** The members of a JSON Web Key that the library reads or passes on. */
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

/**
 * A JSON Web Key (RFC 7517). The type is wide, because services use different types for such keys.
 */
export type Jwk = JwkMembers | Readonly<Record<string, unknown>>
