/** An inverted index over the members that `q` searches (QUERY-3). */
import { get, isList, isObject } from '../../definition/json.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import type { Shape } from '../../definition/shape.js'
import type { Refused } from '../contract.js'
import type { Entry, Identity, Row } from './entry.js'
import { maxWords, parseSearch, type SearchClause, wordsOf } from './search-query.js'

/**
 * Separates the words of one string from the words of the next, so that no phrase matches across
 * two strings.
 */
const gap = ''

const tooManyWords: Refused = {
  refused: 'rule',
  members: [],
  why: `has more than ${maxWords} words. Send at most ${maxWords} words`,
}

export class FullText {
  /** Word -> key of a record -> the number of times that the word occurs in the record. */
  readonly #postings = new Map<string, Map<Identity, number>>()
  /**
   * Key of a record -> the words of the record, in order. A `gap` follows the words of each string.
   */
  readonly #words = new Map<Identity, readonly string[]>()
  readonly #texts: (row: Row) => string[]

  constructor(definition: ResourceDefinition, entries: Iterable<Entry>) {
    this.#texts = textsOf(definition)
    for (const entry of entries) this.#add(entry.id, this.#texts(entry.stored.value))
  }

  /**
   * Returns the keys of the matching records, with their ranks. Returns `undefined` for a query
   * without words, which matches everything. Refuses a query with too many words, instead of
   * ignoring the words beyond the maximum. If `weighed` is true, rare words count more. `weighed`
   * must be false within a scope. Otherwise, the ranks would reveal how frequent a word is in
   * records outside the scope.
   */
  find(query: string, weighed = true): ReadonlyMap<Identity, number> | Refused | undefined {
    const clauses = parseSearch(query)
    if (clauses === undefined) return tooManyWords
    if (clauses.length === 0) return undefined
    const ranks = new Map<Identity, number>()
    for (const clause of clauses) this.#match(clause, ranks, weighed)
    return ranks
  }

  swap(old: Entry | undefined, next: Entry | undefined): void {
    const before = old === undefined ? undefined : this.#texts(old.stored.value)
    const after = next === undefined ? undefined : this.#texts(next.stored.value)
    if (before?.length === after?.length && before?.every((text, i) => text === after?.[i])) return
    if (old !== undefined) this.#delete(old.id)
    if (next !== undefined && after !== undefined) this.#add(next.id, after)
  }

  /**
   * Finds the records that match `clause`, which is one alternative of the search query, and adds
   * them to `ranks`. The rank of a record grows by the sum of tf-idf (term frequency and inverse
   * document frequency) over the words of the clause. If `weighed` is false, the rank grows by the
   * sum of the term frequencies alone. Term frequencies are logarithmic.
   */
  #match(clause: SearchClause, ranks: Map<Identity, number>, weighed: boolean): void {
    const found = clause.words.map((word) => this.#postings.get(word))
    const postings = found.filter((posting) => posting !== undefined)
    if (postings.length < found.length) return
    const weights = postings.map((posting) => (weighed ? Math.log(1 + this.#words.size / posting.size) : 1))
    const rarest = postings.reduce<ReadonlyMap<Identity, unknown>>(
      (smallest, posting) => (posting.size < smallest.size ? posting : smallest),
      this.#words,
    )
    for (const id of rarest.keys()) {
      if (!postings.every((posting) => posting.has(id)) || !this.#allows(clause, id)) continue
      let rank = ranks.get(id) ?? 0
      for (const [i, posting] of postings.entries()) rank += (1 + Math.log(posting.get(id) ?? 1)) * (weights[i] ?? 0)
      ranks.set(id, rank)
    }
  }

  #allows(clause: SearchClause, id: Identity): boolean {
    return (
      clause.phrases.every((phrase) => this.#contains(phrase, id)) &&
      !clause.without.some((phrase) => this.#contains(phrase, id))
    )
  }

  /** Whether the record contains the words of the phrase next to each other, in the same order. */
  #contains(phrase: readonly string[], id: Identity): boolean {
    if (!phrase.every((word) => this.#postings.get(word)?.has(id))) return false
    const words = this.#words.get(id) ?? []
    return phrase.length === 1 || includesRun(words, phrase)
  }

  #add(id: Identity, texts: readonly string[]): void {
    const words = texts.flatMap((part) => [...wordsOf(part), gap])
    this.#words.set(id, words)
    for (const word of words) {
      if (word === gap) continue
      const posting = this.#postings.get(word)
      if (posting === undefined) this.#postings.set(word, new Map([[id, 1]]))
      else posting.set(id, (posting.get(id) ?? 0) + 1)
    }
  }

  #delete(id: Identity): void {
    for (const word of new Set(this.#words.get(id))) {
      const posting = this.#postings.get(word)
      posting?.delete(id)
      if (posting?.size === 0) this.#postings.delete(word)
    }
    this.#words.delete(id)
  }
}

/**
 * Whether `words` contains `run`. Takes linear time (algorithm of Knuth, Morris and Pratt), so that
 * a long text with few different words does not make a short query expensive.
 */
function includesRun(words: readonly string[], run: readonly string[]): boolean {
  const back = [0]
  for (let at = 1, length = 0; at < run.length; at += 1) {
    while (length > 0 && run[at] !== run[length]) length = back[length - 1] as number
    if (run[at] === run[length]) length += 1
    back.push(length)
  }
  let length = 0
  for (const word of words) {
    while (length > 0 && word !== run[length]) length = back[length - 1] as number
    if (word === run[length]) length += 1
    if (length === run.length) return true
  }
  return false
}

/**
 * Returns a function that collects the strings of a record that `q` searches. If the option
 * `search` of the definition is true, these are all strings of the record that clients may see
 * (REP-8). Otherwise, they are the strings and numbers in the members that the definition names.
 */
function textsOf({ search, shape }: ResourceDefinition): (row: Row) => string[] {
  if (search === true) {
    return (row) => {
      const texts: string[] = []
      collect(row, shape, texts)
      return texts
    }
  }
  const paths = (search ?? []).map((field) => field.split('.'))
  return (row) =>
    paths
      .flatMap((path) => [get(row, path)].flat())
      .flatMap((value) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []))
}

function collect(value: unknown, shape: Shape | undefined, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (isList(value)) {
    for (const [i, item] of value.entries()) collect(item, shape?.prefix[i] ?? shape?.items, texts)
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const inner = shape?.members.get(name) ?? shape?.other(name)
      // An object schema hides the members that it does not allow.
      const isHidden = inner === undefined ? shape?.isObject === true : inner.writeOnly
      if (!isHidden) collect(member, inner, texts)
    }
  }
}
