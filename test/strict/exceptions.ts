/**
 * Responses that need not match the OpenAPI document of their service, each with the reason. To
 * exempt only a part of a test, use `withBrokenRows` in `watch.ts`.
 */

/**
 * A difference from the OpenAPI document that is ignored in the test files whose path `file`
 * matches.
 */
export interface Exception {
  readonly file: RegExp
  /** The messages that are ignored. */
  readonly fault: RegExp
  readonly why: string
}

export const exceptions: readonly Exception[] = [
  {
    file: /^test\/adapters\/postgres\/(?:odd|legacy)-values\.test\.ts$/,
    fault:
      /^(?:GET|PATCH) \/cosas(?:\/\{id\})? responds with 200: the body does not match the schema: (?:\/\d)?\/(?:valor|dia|momento|instante)\b/,
    why: 'Other sessions wrote rows that violate their schema, and the library returns them unchanged.',
  },
  {
    file: /^test\/caching\/fixed-records\.test\.ts$/,
    fault: /responds with (?:200: the body does not match the schema: |500\b)/,
    why: 'The store returns records that violate their schema, and the test compares responses with and without caches.',
  },
  {
    file: /^test\/clauses\/committed\.test\.ts$/,
    fault:
      /^POST \S*\/(?:contratos|informes) responds with (?:404|412)(?: \((?:absent|stale)\))?, which the document does not describe\.$/,
    why: 'The tests inject faults, so a permission function or a read of the store may throw any problem.',
  },
  {
    file: /^test\/clauses\/scope-faults\.test\.ts$/,
    fault: /responds with 403(?: \(forbidden\))?, which the document does not describe\.$/,
    why: 'The function `scope` of the service throws a problem, regardless of the operation.',
  },
  {
    file: /^test\/check\/example\.long\.test\.ts$/,
    fault: /^OPTIONS \/sucursales(?:\/\w+)? responds with 204, and the document has no such operation\.$/,
    why: 'The routes of /sucursales are written by hand, and their description in the document omits OPTIONS.',
  },
]
