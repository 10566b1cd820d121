/**
 * Entity tags, and the lists of them in `If-Match` and `If-None-Match` (RFC 9110 8.8.3, 13.1.1,
 * 13.1.2; HDR-2..4).
 *
 * As in the RFC, an *opaque tag* is the quoted text including its quotes: `"3.x7Q"`. So the result
 * of `formatTag` is both the value of the `Etag` field and the text that lists are compared with.
 */
import { isToken, skipSpace, splitList } from './field-grammar.js'

const space = 0x20
const quote = 0x22
const comma = 0x2c
const del = 0x7f

/** One tag of a list. */
interface EntityTag {
  /** The opaque tag with its quotes, without `W/`. */
  readonly opaque: string
  readonly weak: boolean
}

/** The value of `If-Match` or `If-None-Match`. */
export interface TagList {
  /** True if the field is `*`: any existing representation matches. */
  readonly any: boolean
  /** The well-formed tags in order. Malformed elements match nothing and are omitted. */
  readonly tags: readonly EntityTag[]
}

const star: TagList = Object.freeze({ any: true, tags: Object.freeze([]) })

/**
 * The strong tag `"<version>.<digest>"` (HDR-2). Characters of the version that a tag can't contain
 * (RFC 9110 8.8.3: all except `!` and `#`..`~`), and `%` itself, are percent-encoded as UTF-8. A
 * lone surrogate, which UTF-8 can't encode, becomes `%uD800`.
 *
 * @param version any string
 * @param digest base64url; it has no dot, since the last dot separates the two
 * @example formatTag('3', 'x7Q') // '"3.x7Q"'
 */
export function formatTag(version: string, digest: string): string {
  return `"${encodeVersion(version)}.${digest}"`
}

/**
 * The strong tag of a version whose representation could not be built: valid in `If-Match`, but
 * never leads to a 304. It has the marker `~` in place of the digest. No digest contains `~`, since
 * base64url does not.
 *
 * @example versionTag('3') // '"3.~"'
 */
export const versionTag = (version: string): string => formatTag(version, '~')

/**
 * The version part of an opaque tag; `undefined` if `formatTag` can't have created the tag (HDR-2).
 *
 * @example versionOf('"3.x7Q"') // '3'
 */
export function versionOf(opaque: string): string | undefined {
  const dot = opaque.lastIndexOf('.')
  if (dot < 1 || opaque.charCodeAt(0) !== quote || !opaque.endsWith('"')) return undefined
  const encoded = opaque.slice(1, dot)
  if (plain.test(encoded)) return encoded
  const version = decodeVersion(encoded)
  return version !== undefined && encodeVersion(version) === encoded ? version : undefined
}

/**
 * Characters that need no encoding in a tag: etagc of RFC 9110 8.8.3 without obs-text and without
 * `%`.
 */
const plain = /^[\x21\x23\x24\x26-\x7e]*$/
const special = /[^\x21\x23\x24\x26-\x7e]/gu

function encodeVersion(version: string): string {
  return plain.test(version) ? version : version.replace(special, encodeCharacter)
}

function encodeCharacter(character: string): string {
  const code = character.charCodeAt(0)
  const lone = character.length === 1 && code >= 0xd800 && code <= 0xdfff
  return lone ? `%u${code.toString(16).toUpperCase()}` : encodeURIComponent(character)
}

function decodeVersion(encoded: string): string | undefined {
  try {
    const pieces = encoded.split(/%u(D[89A-F][0-9A-F]{2})/)
    return pieces
      .map((piece, at) => (at % 2 === 0 ? decodeURIComponent(piece) : String.fromCharCode(Number.parseInt(piece, 16))))
      .join('')
  } catch {
    return undefined
  }
}

/**
 * Parses `If-Match` or `If-None-Match` (RFC 9110 13.1.1, 13.1.2; HDR-3, HDR-4); `undefined` if the
 * field is absent. A malformed element extends to the next comma outside quotes and is omitted. One
 * pass, linear in the length of the field.
 *
 * @example
 * parseTagList('"3.x7Q", W/"4"')
 * // { any: false, tags: [{ opaque: '"3.x7Q"', weak: false }, { opaque: '"4"', weak: true }] }
 */
export function parseTagList(field: string | undefined): TagList | undefined {
  if (field === undefined) return undefined
  const tags: EntityTag[] = []
  let at = skipSpace(field, 0)
  if (field.charCodeAt(at) === 0x2a /* * */ && skipSpace(field, at + 1) === field.length) return star
  while (at < field.length) {
    const weak = field.startsWith('W/"', at)
    const opening = weak ? at + 2 : at
    const closing = closingQuote(field, opening)
    const end = closing < 0 ? at : skipSpace(field, closing + 1)
    if (closing > 0 && (end === field.length || field.charCodeAt(end) === comma)) {
      tags.push({ opaque: field.slice(opening, closing + 1), weak })
      at = skipSpace(field, end + 1)
    } else {
      at = skipSpace(field, elementEnd(field, at) + 1)
    }
  }
  return { any: false, tags }
}

/**
 * The index of the closing quote of the opaque tag that starts here; -1 if none starts here or it
 * is malformed.
 */
function closingQuote(field: string, opening: number): number {
  if (field.charCodeAt(opening) !== quote) return -1
  for (let at = opening + 1; at < field.length; at++) {
    const code = field.charCodeAt(at)
    if (code === quote) return at
    if (code <= space || code === del) return -1
  }
  return -1
}

/**
 * The index of the next comma outside quotes, or the end of the field. Tags have no escapes: a
 * backslash is an ordinary character.
 */
function elementEnd(field: string, from: number): number {
  let quoted = false
  for (let at = from; at < field.length; at++) {
    const code = field.charCodeAt(at)
    if (code === quote) quoted = !quoted
    else if (code === comma && !quoted) return at
  }
  return field.length
}

/**
 * The strong tag of the same representation under a content coding: the bytes differ, so the tag
 * must differ (RFC 9110 8.8.3.3). `coding`: the value of `Content-Encoding`, possibly a list. The
 * version part is unchanged, so the tag remains valid in `If-Match`. Digests of the library never
 * contain `+`.
 *
 * @example codedTag('"3.x7Q"', 'gzip') // '"3.x7Q+gzip"'
 */
export function codedTag(opaque: string, coding: string): string {
  const codings = splitList(coding.toLowerCase()).map((name) => name.trim())
  const suffix = codings.filter((name) => isToken(name) && name !== 'identity').map((name) => `+${name}`)
  return `${opaque.slice(0, -1)}${suffix.join('')}"`
}

/**
 * The suffixes that compressing web servers in front of a service add to tags: Apache, Caddy and
 * lighttpd.
 */
const ofServers = /^-(?:gzip|br|zstd|deflate)$/
const ofOurs = /^(?:\+[a-z0-9!#$%&'*.^_`|~-]+)+$/

/** True if `codedTag` created the opaque tag. */
export const isCoded = (opaque: string): boolean => /\+[^.+]+"$/.test(opaque)

/**
 * The suffix of a tag after the text of `own`: empty if they are equal, else the suffix of a
 * content coding; `undefined` if the tag belongs to another representation.
 */
function suffixOf(opaque: string, own: string): string | undefined {
  if (opaque === own) return ''
  if (!opaque.startsWith(own.slice(0, -1))) return undefined
  const suffix = opaque.slice(own.length - 1, -1)
  return ofOurs.test(suffix) || ofServers.test(suffix) ? suffix : undefined
}

/**
 * Strong comparison (RFC 9110 8.8.3.2), for `If-Match`: a weak tag never matches (HDR-3), unless
 * `weakToo`. Tags of any content coding of the representation match.
 */
export function matchesStrongly(list: TagList, opaque: string, weakToo = false): boolean {
  return list.any || list.tags.some((tag) => (weakToo || !tag.weak) && suffixOf(tag.opaque, opaque) !== undefined)
}

/**
 * Weak comparison (RFC 9110 8.8.3.2), for `If-None-Match`: `W/` is ignored (HDR-4). Returns the tag
 * of the representation that the client has, for the 304: caches select the stored response by it
 * (RFC 9111 4.3.4). So a tag of a content coding is returned only if the request accepts that
 * coding. `undefined` if no tag matches. The suffix of a web server in front is dropped, since that
 * server adds it to the 304 again.
 */
export function knownTag(list: TagList, opaque: string, accepts: (coding: string) => boolean): string | undefined {
  let known = list.any ? opaque : undefined
  for (const tag of list.tags) {
    const suffix = suffixOf(tag.opaque, opaque)
    if (suffix === undefined) continue
    if (!suffix.startsWith('+')) known = opaque
    else if (suffix.slice(1).split('+').every(accepts)) return tag.opaque
  }
  return known
}

/**
 * The versions that an `If-Match` names (HDR-2): the tag of any representation of a version
 * identifies the version. Empty for `*`.
 *
 * @param weakToo the option of HDR-3 for proxies that weaken tags when they compress: includes the
 * versions of weak tags. Default false
 */
export function versionsOf(list: TagList, weakToo = false): readonly string[] {
  const versions: string[] = []
  for (const tag of list.tags) {
    const version = tag.weak && !weakToo ? undefined : versionOf(tag.opaque)
    if (version !== undefined) versions.push(version)
  }
  return versions
}
