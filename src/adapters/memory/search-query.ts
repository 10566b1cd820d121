/** The text of `q` as people write it in search engines (QUERY-3), and the words of a text. */

/** Words that must all stand in a record, and others that must not. */
export interface SearchClause {
  /** Each once, those of the phrases too. */
  readonly words: readonly string[]
  /** Words that must stand together; only phrases of several words. */
  readonly phrases: readonly (readonly string[])[]
  /** Words or phrases of which none may stand in the record. */
  readonly without: readonly (readonly string[])[]
}

/** Words beyond these are not looked at: whatever a client sends, one search costs at most this many passes over the index. */
const maxWords = 128

/**
 * The words of a text, without case or accents, split at whatever is neither letter nor digit.
 *
 * Marks go before the text is decomposed, too: ordering a long run of them takes quadratic time.
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
 * Reads `word`, `"a phrase"`, `or` and `-not`: any of the clauses that come back must hold. Never throws; without any word there is no
 * clause, and the query matches everything.
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
