/**
 * Entity tags, and the lists of them in `If-Match` and `If-None-Match` (RFC 9110 8.8.3, 13.1.1,
 * 13.1.2; HDR-2..4).
 *
 * As in the RFC, an *opaque tag* is the quoted string including its quotes: `"3.x7Q"`. So the
 * result of `formatTag` is both the value of the `Etag` field and the string with which the tags in
 * a list are compared.
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
  /** True if the field is `*`, which matches any existing representation. */
  readonly any: boolean
  /** The well-formed tags in order. Malformed elements match nothing and are omitted. */
  readonly tags: readonly EntityTag[]
}

const star: TagList = Object.freeze({ any: true, tags: Object.freeze([]) })

/**
 * The strong tag `"<version>.<digest>"` (HDR-2). In the tags of the library, the version contains
 * only `!` and the characters from `#` to `~`: the `etagc` of RFC 9110 8.8.3 without `obs-text`.
 * All other characters of the version, and `%` itself, are percent-encoded as UTF-8. A lone
 * surrogate, which UTF-8 can't encode, becomes `%u` and its code, such as `%uD800`.
 *
 * @param version any string
 * @param digest base64url, which has no dots: the last dot of the tag separates version and digest
 * @example formatTag('3', 'x7Q') // '"3.x7Q"'
 */
export function formatTag(version: string, digest: string): string {
  return `"${encodeVersion(version)}.${digest}"`
}

/**
 * The strong tag of a version of a record, for a response that does not contain the representation
 * of the record. The tag is valid in `If-Match`, but never leads to a 304. It has the marker `~` in
 * place of the digest. No digest contains `~`, because `~` is not a character of base64url.
 *
 * @example versionTag('3') // '"3.~"'
 */
export const versionTag = (version: string): string => formatTag(version, '~')

/**
 * The version part of an opaque tag; `undefined` if the tag has no version in the form that
 * `formatTag` writes (HDR-2).
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
 * Matches a version in which no character needs encoding. The characters that need no encoding are
 * `etagc` of RFC 9110 8.8.3, without `obs-text` and without `%`.
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
 * field is absent. A malformed element extends to the next comma outside quotes and is omitted. The
 * time is linear in the length of the field.
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
 * The index of the closing quote of the opaque tag that starts at `opening`; -1 if no tag starts
 * there, or if the tag is malformed.
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
 * The strong tag of a representation under a content coding. The bytes under the coding are
 * different, so the tag must be different too (RFC 9110 8.8.3.3). The version part is unchanged, so
 * the tag remains valid in `If-Match`. The coding is added after a `+`, which the library's digests
 * never contain.
 *
 * @param coding the value of `Content-Encoding`, possibly a list
 * @example codedTag('"3.x7Q"', 'gzip') // '"3.x7Q+gzip"'
 */
export function codedTag(opaque: string, coding: string): string {
  const codings = splitList(coding.toLowerCase()).map((name) => name.trim())
  const suffix = codings.filter((name) => isToken(name) && name !== 'identity').map((name) => `+${name}`)
  return `${opaque.slice(0, -1)}${suffix.join('')}"`
}

/**
 * The suffixes that Apache, Caddy and lighttpd add to tags if they compress the responses of a
 * service behind them.
 */
const serverSuffix = /^-(?:gzip|br|zstd|deflate)$/
const librarySuffix = /^(?:\+[a-z0-9!#$%&'*.^_`|~-]+)+$/

/** True if the opaque tag ends with a suffix like those that `codedTag` adds. */
export const isCoded = (opaque: string): boolean => /\+[^.+]+"$/.test(opaque)

/**
 * If the tag `opaque` is the tag `own` with a suffix for a content coding, returns the suffix. If
 * the tags are equal, the suffix is empty. The result is `undefined` if `opaque` belongs to another
 * representation.
 */
function suffixOf(opaque: string, own: string): string | undefined {
  if (opaque === own) return ''
  if (!opaque.startsWith(own.slice(0, -1))) return undefined
  const suffix = opaque.slice(own.length - 1, -1)
  return librarySuffix.test(suffix) || serverSuffix.test(suffix) ? suffix : undefined
}

/**
 * Strong comparison (RFC 9110 8.8.3.2), for `If-Match` (HDR-3). A weak tag matches only if
 * `weakToo` is true. A tag also matches if it differs from `opaque` only by a suffix for a content
 * coding.
 */
export function matchesStrongly(list: TagList, opaque: string, weakToo = false): boolean {
  return list.any || list.tags.some((tag) => (weakToo || !tag.weak) && suffixOf(tag.opaque, opaque) !== undefined)
}

/**
 * Weak comparison (RFC 9110 8.8.3.2), for `If-None-Match` (HDR-4): `W/` is ignored. Returns the tag
 * of the representation that the client has, for the 304; `undefined` if no tag matches. HTTP
 * caches use the tag in a 304 to select a stored response for the client (RFC 9111 4.3.4). The
 * client must be able to decode that response. So the tag of a content coding is returned only if
 * the request accepts that coding. A suffix that a web server in front of the service has added is
 * dropped, because that server adds it to the 304 again.
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
 * The versions of a record that an `If-Match` names (HDR-2). Each tag contains the version,
 * whichever representation the tag belongs to. The list is empty for `*`.
 *
 * @param weakToo includes the versions of weak tags, for proxies that weaken tags when they
 * compress (HDR-3). Default false
 */
export function versionsOf(list: TagList, weakToo = false): readonly string[] {
  const versions: string[] = []
  for (const tag of list.tags) {
    const version = tag.weak && !weakToo ? undefined : versionOf(tag.opaque)
    if (version !== undefined) versions.push(version)
  }
  return versions
}
