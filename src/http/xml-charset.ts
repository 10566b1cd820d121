/** Decodes the bytes of an XML document (RFC 7303 3, XML 1.0 4.3.3; HDR-5). */
import type { JsonFault } from './json-fault.js'

/**
 * A charset that is not supported. The response is 415. For malformed bytes, the response is 400.
 */
export interface UnsupportedCharset {
  readonly unsupportedCharset: string
}

/** The decoded text, without the byte order mark of the bytes. */
export interface DecodedXml {
  readonly text: string
}

type Charset = 'utf-8' | 'us-ascii' | 'utf-16' | 'utf-16le' | 'utf-16be' | 'iso-8859-1'

// The supported charsets by their preferred names in the IANA registry, and by other names that are
// in use.
const charsets: ReadonlyMap<string, Charset> = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'us-ascii'],
  ['ascii', 'us-ascii'],
  ['utf-16', 'utf-16'],
  ['utf-16le', 'utf-16le'],
  ['utf-16be', 'utf-16be'],
  ['iso-8859-1', 'iso-8859-1'],
  ['latin1', 'iso-8859-1'],
])

/**
 * Decodes an XML document. The charset is determined by the first of these that is present: the
 * byte order mark, the parameter of `Content-Type`, the XML declaration. If none is present, the
 * charset is UTF-8 (RFC 7303 3.2). If some bytes are invalid in the charset, the result is an
 * error. The invalid bytes are not replaced with U+FFFD.
 *
 * @param charset the parameter `charset` of `Content-Type`, without quotes
 * @example
 * decodeXml(body, 'iso-8859-1') // { text: '<a>ñ</a>' }
 * decodeXml(body, 'us-ascii') // { malformed: 'The text is not valid US-ASCII.' }
 * decodeXml(body, 'utf-7') // { unsupportedCharset: 'utf-7' }
 */
export function decodeXml(bytes: Uint8Array, charset: string | undefined): DecodedXml | JsonFault | UnsupportedCharset {
  const marked = markedCharset(bytes)
  if (marked !== undefined) return decode(bytes, marked)
  const name = charset ?? declaredEncoding(bytes) ?? 'utf-8'
  const known = charsets.get(name.toLowerCase())
  if (known === undefined) return { unsupportedCharset: name.slice(0, 100) }
  if (known !== 'utf-16') return decode(bytes, known)
  // Without a byte order mark, UTF-16 is big-endian (RFC 2781 4.3). But a document that starts with
  // the bytes 3C 00 is little-endian. In little-endian, these bytes are `<`. In big-endian, they
  // are U+3C00, and no document can start with that character.
  return decode(bytes, bytes[0] === 0x3c && bytes[1] === 0 ? 'utf-16le' : 'utf-16be')
}

function markedCharset(bytes: Uint8Array): Charset | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return undefined
}

const declaration =
  /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"[^"]*"|'[^']*')[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([\w.-]*)"|'([\w.-]*)')/

/**
 * The encoding that the XML declaration names, if any. The bytes of the declaration are read as
 * ASCII. They are ASCII in every supported charset except UTF-16. In UTF-16, the declaration is not
 * needed, because the document must have a byte order mark or the parameter of `Content-Type`.
 */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  // This test for `<?xml` comes first, so that a document without a declaration is not searched.
  if (!(bytes[0] === 0x3c && bytes[1] === 0x3f && bytes[2] === 0x78 && bytes[3] === 0x6d && bytes[4] === 0x6c))
    return undefined
  const end = bytes.indexOf(0x3e)
  const found = end < 0 ? null : declaration.exec(latin1(bytes.subarray(0, end)))
  return found?.[1] ?? found?.[2]
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array, charset: Charset): DecodedXml | JsonFault {
  switch (charset) {
    case 'us-ascii':
      return bytes.some((byte) => byte > 0x7f) ? invalid(charset) : { text: latin1(bytes) }
    case 'iso-8859-1':
      // `TextDecoder` would treat the name iso-8859-1 as windows-1252.
      return { text: latin1(bytes) }
    default:
      try {
        return { text: (charset === 'utf-8' ? utf8 : new TextDecoder(charset, { fatal: true })).decode(bytes) }
      } catch {
        return invalid(charset)
      }
  }
}

function invalid(charset: Charset): JsonFault {
  return { malformed: `The text is not valid ${charset.toUpperCase()}.` }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
