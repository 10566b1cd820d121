/**
 * Parses query strings into lists of pairs, and formats such lists as query strings (RFC 3986 3.4;
 * QUERY-1, QUERY-8). As in HTML forms, `+` means a space.
 */
import { printable } from './printable.js'

/** A decoded parameter. */
export type QueryPair = readonly [name: string, value: string]

export interface QueryString {
  /** The decoded pairs in order, including repeated names. */
  readonly pairs: readonly QueryPair[]
  /**
   * The raw pairs that could not be decoded, as printable strings of at most 80 characters each.
   */
  readonly malformed: readonly string[]
}

const empty: QueryString = Object.freeze({ pairs: Object.freeze([]), malformed: Object.freeze([]) })

const encoded = /[%+]/

/**
 * Parses a query. The query is split at each `&`, and each piece is split at its first `=`. Empty
 * pieces are skipped. A name without `=` has the value `''`. Names and values are percent-decoded
 * once, as strict UTF-8. Pairs that can't be decoded are listed in `malformed`.
 *
 * @param raw the query without the `?`
 * @example
 * parseQueryString('sort=-fecha&q=a+b')
 * // { pairs: [['sort', '-fecha'], ['q', 'a b']], malformed: [] }
 */
export function parseQueryString(raw: string): QueryString {
  if (raw === '') return empty
  const pairs: QueryPair[] = []
  const malformed: string[] = []
  const plain = !encoded.test(raw)
  for (let start = 0; start < raw.length; ) {
    const ampersand = raw.indexOf('&', start)
    const end = ampersand < 0 ? raw.length : ampersand
    if (end > start) {
      const piece = raw.slice(start, end)
      const equals = piece.indexOf('=')
      const name = equals < 0 ? piece : piece.slice(0, equals)
      const value = equals < 0 ? '' : piece.slice(equals + 1)
      const pair = plain ? ([name, value] as const) : decodePair(name, value)
      if (pair === undefined) malformed.push(printable(piece))
      else pairs.push(pair)
    }
    start = end + 1
  }
  return { pairs, malformed }
}

function decodePair(name: string, value: string): QueryPair | undefined {
  try {
    return [decode(name), decode(value)]
  } catch {
    return undefined
  }
}

/** @throws URIError */
function decode(text: string): string {
  if (!encoded.test(text)) return text
  return decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

/**
 * Formats pairs as a query without the `?`. `parseQueryString` reads the same pairs from this
 * query. Characters are encoded as by `encodeURIComponent`, except that `,` and `:` are not
 * encoded. A lone surrogate, which UTF-8 can't encode, is replaced with U+FFFD.
 *
 * @example formatQueryString([['sort', '-fecha,id'], ['offest', '2']]) // 'sort=-fecha,id&offest=2'
 */
export function formatQueryString(pairs: readonly QueryPair[]): string {
  let text = ''
  for (const [name, value] of pairs) text += `${text === '' ? '' : '&'}${encode(name)}=${encode(value)}`
  return text
}

function encode(text: string): string {
  if (/^[\w,:.~-]*$/.test(text)) return text
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/%2C|%3A/g, decodeURIComponent)
}
