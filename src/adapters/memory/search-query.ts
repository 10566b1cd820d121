/**
 * Parses the text of `q`, in the syntax that search engines use (QUERY-3), and splits texts into
 * words.
 */

/** Words that a record must all contain, and others that it must not contain. */
export interface SearchClause {
  /** Each word once, including those of the phrases. */
  readonly words: readonly string[]
  /** Sequences of words that must be adjacent. Phrases of one word are not listed. */
  readonly phrases: readonly (readonly string[])[]
  /** Words or phrases that the record must not contain. */
  readonly without: readonly (readonly string[])[]
}

/** Further words are ignored, so that one search costs at most this many passes over the index. */
const maxWords = 128

/**
 * The words of a text, without case and accents, split at everything that is neither a letter nor a
 * digit.
 *
 * Combining marks are also removed before the decomposition: reordering a long run of them takes
 * quadratic time.
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
 * Parses `word`, `"a phrase"`, `or` and `-not`. At least one of the returned clauses must match.
 * Never throws. A text without words has no clauses and matches everything.
 *
 * @example parseSearch('madrid urgente or "entrega en mostrador" -devuelta')
 */
export function parseSearch(text: string): readonly SearchClause[] {
  const clauses: SearchClause[] = []
  let clause = emptyClause()
  let left = maxWords
  for (const [token] of text.matchAll(/-?"[^"]*"?|[^\s"]+/g)) {
    if (left === 0) break
    if (token.toLowerCase() === 'or') {
      if (!isEmpty(clause)) clauses.push(clause)
      clause = emptyClause()
      continue
    }
    const words = wordsOf(token).slice(0, left)
    left -= words.length
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
