/**
 * The supported signature algorithms of JSON Web Tokens (RFC 7518 3.1). The algorithm `none` and
 * algorithms that use SHA-1 are not supported.
 */

/** A signature algorithm (RFC 7518 3.1). */
export type TokenAlgorithm =
  | 'HS256'
  | 'HS384'
  | 'HS512'
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'

/** The kind of key that an algorithm requires. */
export type KeyRequirement =
  /** A secret of at least `bytes` bytes (RFC 7518 3.2). */
  | { readonly kind: 'secret'; readonly bytes: number }
  /**
   * A key on an elliptic curve (RFC 7518 3.4). `curve` is the curve's name in OpenSSL, and
   * `curveName` is its name in messages.
   */
  | { readonly kind: 'ec'; readonly curve: string; readonly curveName: string }
  /**
   * An RSA key (RFC 7518 3.3, 3.5). `hash` is the hash function, and `hashBytes` is the length of
   * its output. A key restricted to PSS (`rsa-pss`) is valid only for PS algorithms.
   */
  | { readonly kind: 'rsa'; readonly pss: boolean; readonly hash: string; readonly hashBytes: number }

/** The kind of key that each algorithm requires. */
export const algorithms: Readonly<Record<TokenAlgorithm, KeyRequirement>> = {
  HS256: { kind: 'secret', bytes: 32 },
  HS384: { kind: 'secret', bytes: 48 },
  HS512: { kind: 'secret', bytes: 64 },
  RS256: { kind: 'rsa', pss: false, hash: 'sha256', hashBytes: 32 },
  RS384: { kind: 'rsa', pss: false, hash: 'sha384', hashBytes: 48 },
  RS512: { kind: 'rsa', pss: false, hash: 'sha512', hashBytes: 64 },
  PS256: { kind: 'rsa', pss: true, hash: 'sha256', hashBytes: 32 },
  PS384: { kind: 'rsa', pss: true, hash: 'sha384', hashBytes: 48 },
  PS512: { kind: 'rsa', pss: true, hash: 'sha512', hashBytes: 64 },
  ES256: { kind: 'ec', curve: 'prime256v1', curveName: 'P-256' },
  ES384: { kind: 'ec', curve: 'secp384r1', curveName: 'P-384' },
  ES512: { kind: 'ec', curve: 'secp521r1', curveName: 'P-521' },
}

/** The names of the supported algorithms. */
export const algorithmNames = Object.keys(algorithms) as readonly TokenAlgorithm[]

/**
 * Whether a value is the exact name of a supported algorithm. Names are case-sensitive (RFC 7515
 * 4.1.1).
 */
export const isAlgorithm = (name: unknown): name is TokenAlgorithm =>
  typeof name === 'string' && Object.hasOwn(algorithms, name)
