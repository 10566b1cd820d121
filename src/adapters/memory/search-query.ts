/**
 * Parses the value of `q`, in the syntax that search engines use (QUERY-3), and splits strings into
 * words.
 */

/**
 * One alternative of a query: the words that a record must contain, and those that it must not
 * contain.
 */
export interface SearchClause {
  /**
   * The words that the record must contain, each listed once. Includes the words of the phrases.
   */
  readonly words: readonly string[]
  /**
   * Sequences of words that must be next to each other in the record. Phrases of one word are not
   * listed.
   */
  readonly phrases: readonly (readonly string[])[]
  /** Words or phrases that the record must not contain. */
  readonly without: readonly (readonly string[])[]
}

/**
 * The maximum number of words in a query, so that one search costs at most this many passes over
 * the index.
 */
export const maxWords = 128

/**
 * Splits a string into words, at everything that is neither a letter nor a number. Converts the
 * words to lower case and removes accents.
 *
 * Combining marks are removed before the Unicode decomposition, and again after it. Without the
 * first removal, the decomposition would reorder long runs of marks, which takes quadratic time.
 */
export function wordsOf(text: string): string[] {
  const plain = /^[\0-\x7f]*$/.test(text)
    ? text
    : text
        .replace(/\p{M}+/gu, '')
        .normalize('NFD')
        .replace(/\p{M}+/gu, '')
  return plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/**
 * Parses a query. The syntax is `word`, `"a phrase"`, `or` and `-not`. A record matches the query
 * if it matches at least one of the returned alternatives. A query without words has no
 * alternatives and matches every record. Returns `undefined` if the query has more than `maxWords`
 * words. Never throws.
 *
 * @example parseSearch('madrid urgente or "entrega en mostrador" -devuelta')
 */
export function parseSearch(text: string): readonly SearchClause[] | undefined {
  const clauses: SearchClause[] = []
  let clause = emptyClause()
  let left = maxWords
  for (const [token] of text.matchAll(/-?"[^"]*"?|[^\s"]+/g)) {
    if (token.toLowerCase() === 'or') {
      if (!isEmpty(clause)) clauses.push(clause)
      clause = emptyClause()
      continue
    }
    const words = wordsOf(token)
    left -= words.length
    if (left < 0) return undefined
    if (words.length === 0) continue
    if (token.startsWith('-')) clause.without.push(words)
    else {
      for (const word of words) if (!clause.words.includes(word)) clause.words.push(word)
      if (token.startsWith('"') && words.length > 1) clause.phrases.push(words)
    }
  }
  if (!isEmpty(clause)) clauses.push(clause)
  return clauses
}

const emptyClause = () => ({ words: [] as string[], phrases: [] as string[][], without: [] as string[][] })
const isEmpty = (clause: SearchClause): boolean => clause.words.length === 0 && clause.without.length === 0
