/** JSON Web Keys as they are written (RFC 7517 4, RFC 7518 6): by their form, since the name of Node's own type changes from release to release of its declarations. */

/** The members that the library looks at, or hands on. */
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

/** A JSON Web Key (RFC 7517): whatever type a team has for one. */
export type Jwk = JwkMembers | Readonly<Record<string, unknown>>
