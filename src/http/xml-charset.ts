/** Decodes the bytes of an XML document (RFC 7303 3, XML 1.0 4.3.3; HDR-5). */
import type { JsonFault } from './json-fault.js'

/** A charset that is not supported: the response is 415, while malformed bytes are 400. */
export interface UnsupportedCharset {
  readonly unsupportedCharset: string
}

/** The text without its byte order mark. */
export interface DecodedXml {
  readonly text: string
}

type Charset = 'utf-8' | 'us-ascii' | 'utf-16' | 'utf-16le' | 'utf-16be' | 'iso-8859-1'

// The names of the IANA registry, and the few other spellings in use.
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
 * Decodes an XML document. The charset is determined by the byte order mark, else the
 * `Content-Type`, else the XML declaration, else it is UTF-8 (RFC 7303 3.2). Bytes that are invalid
 * in the charset are an error and never replaced.
 *
 * @param charset the parameter of `Content-Type`, without quotes
 * @example
 * decodeXml(body, 'iso-8859-1')
 * // { text: '<a>ñ</a>' }, { malformed: '...' } or { unsupportedCharset: 'utf-7' }
 */
export function decodeXml(bytes: Uint8Array, charset: string | undefined): DecodedXml | JsonFault | UnsupportedCharset {
  const marked = markedCharset(bytes)
  if (marked !== undefined) return decode(bytes, marked)
  const name = charset ?? declaredEncoding(bytes) ?? 'utf-8'
  const known = charsets.get(name.toLowerCase())
  if (known === undefined) return { unsupportedCharset: name.slice(0, 100) }
  if (known !== 'utf-16') return decode(bytes, known)
  // RFC 2781 4.3: big-endian unless marked otherwise. No document begins with U+3C00, so a leading
  // `<` is unambiguous.
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
 * The encoding in the XML declaration, which is ASCII in every supported charset that needs neither
 * a byte order mark nor a `Content-Type`.
 */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  // Tests for '<?xml' first, so that other documents have no overhead.
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
      // TextDecoder treats this name as windows-1252.
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
