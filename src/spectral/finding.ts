/**
 * Types for the parts of a Spectral ruleset that the library uses. They are declared here, because
 * the package does not depend on Spectral.
 */

/** A finding of a rule, with its position. */
export interface Finding {
  readonly message: string
  /** The path from the root of the document. */
  readonly path: readonly (string | number)[]
}

/** A rule of a Spectral ruleset, which checks a whole document. */
export interface Rule {
  readonly description: string
  readonly message: '{{error}}'
  readonly severity: 'error'
  readonly given: '$'
  readonly then: { readonly function: (document: unknown) => readonly Finding[] }
}

/**
 * Creates a rule for a clause. `find` gets the document as Spectral passes it, with references
 * resolved. Each message of `find` says what is wrong and how to fix it. This function appends the
 * clause to the message.
 */
export function rule(clause: string, description: string, find: (document: unknown) => readonly Finding[]): Rule {
  return {
    description: `${description} (${clause})`,
    message: '{{error}}',
    severity: 'error',
    given: '$',
    // biome-ignore lint/suspicious/noThenProperty: Spectral requires this name.
    then: {
      function: (document) => find(document).map(({ message, path }) => ({ message: `${message} (${clause})`, path })),
    },
  }
}
