/** The parts of a Spectral ruleset, as far as they are written here: the package needs no Spectral. */

/** What a rule has found, and where. */
export interface Finding {
  readonly message: string
  /** From the root of the document. */
  readonly path: readonly (string | number)[]
}

/** A rule of a Spectral ruleset over a whole document. */
export interface Rule {
  readonly description: string
  readonly message: '{{error}}'
  readonly severity: 'error'
  readonly given: '$'
  readonly then: { readonly function: (document: unknown) => readonly Finding[] }
}

/**
 * A rule of a clause. `find` gets the document as Spectral has it, with its references followed. Each
 * message says what is wrong and how to fix it; the clause follows here.
 */
export function rule(clause: string, description: string, find: (document: unknown) => readonly Finding[]): Rule {
  return {
    description: `${description} (${clause})`,
    message: '{{error}}',
    severity: 'error',
    given: '$',
    // biome-ignore lint/suspicious/noThenProperty: Spectral calls it so.
    then: { function: (document) => find(document).map(({ message, path }) => ({ message: `${message} (${clause})`, path })) },
  }
}
