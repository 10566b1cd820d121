import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeXml } from '../../src/http/xml-charset.js'

const utf16be = (text: string): Uint8Array => Buffer.from(text, 'utf16le').swap16()
const utf16le = (text: string): Uint8Array => Buffer.from(text, 'utf16le')
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const utf8 = (text: string): Uint8Array => Buffer.from(text)
const text = '<a>ñ</a>'

describe('decodeXml', () => {
  it.each<[string, Uint8Array, string | undefined]>([
    ['UTF-8 by default', utf8(text), undefined],
    ['UTF-8 by its byte order mark', utf8(`\ufeff${text}`), undefined],
    ['UTF-8 by its byte order mark, regardless of the charset', utf8(`\ufeff${text}`), 'iso-8859-1'],
    ['UTF-16 by its byte order mark, regardless of the charset', utf16le(`\ufeff${text}`), 'utf-8'],
    ['UTF-16BE by its byte order mark, regardless of the charset', utf16be(`\ufeff${text}`), 'windows-1252'],
    ['UTF-16 by the charset and the byte order mark', utf16be(`\ufeff${text}`), 'UTF-16'],
    ['UTF-16 by the charset, big-endian without a byte order mark', utf16be(text), 'utf-16'],
    ['UTF-16 by the charset, little-endian by its first character', utf16le(text), 'utf-16'],
    ['UTF-16LE by the charset', utf16le(text), 'utf-16LE'],
    ['UTF-16BE by the charset', utf16be(text), 'utf-16be'],
    ['Latin-1 by the charset', latin1(text), 'ISO-8859-1'],
  ])('HDR-5: decodes %s (RFC 7303 3)', (_, bytes, charset) => {
    expect(decodeXml(bytes, charset)).toEqual({ text })
  })

  it('HDR-5: the XML declaration gives the charset if neither a byte order mark nor Content-Type does', () => {
    for (const declaration of [
      '<?xml version="1.0" encoding="ISO-8859-1"?>',
      "<?xml version='1.0'\n encoding = 'iso-8859-1' standalone='no' ?>",
      `<?xml${' '.repeat(5_000)}version="1.0" encoding="latin1"?>`,
    ]) {
      expect(decodeXml(latin1(declaration + text), undefined)).toEqual({ text: declaration + text })
      expect(decodeXml(utf8(declaration + text), 'utf-8')).toEqual({ text: declaration + text })
      expect(decodeXml(latin1(declaration + text), 'utf-8')).toHaveProperty('malformed')
    }
    expect(decodeXml(utf8('<?xml version="1.0" encoding="UTF-7"?><a/>'), undefined)).toEqual({
      unsupportedCharset: 'UTF-7',
    })
    // A text that only resembles an XML declaration has no effect.
    for (const other of [
      '<!-- encoding="utf-7" --><a/>',
      '<?xmlx version="1.0" encoding="utf-7"?><a/>',
      ' <?xml version="1.0" encoding="utf-7"?><a/>',
    ]) {
      expect(decodeXml(utf8(other), undefined)).toEqual({ text: other })
    }
  })

  it('HDR-5: ISO-8859-1 is not decoded as windows-1252', () => {
    expect(decodeXml(Uint8Array.of(0x80, 0x9f, 0xff), 'iso-8859-1')).toEqual({ text: '\u0080\u009f\u00ff' })
  })

  it.each<[string, number[], string | undefined]>([
    ['an overlong slash', [0xc0, 0xaf], undefined],
    ['an overlong NUL', [0xc0, 0x80], undefined],
    ['half a surrogate pair in UTF-8', [0xed, 0xa0, 0x80], undefined],
    ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80], undefined],
    ['a truncated sequence', [0x3c, 0xc3], undefined],
    ['a byte above ASCII', [0x3c, 0x80], 'us-ascii'],
    ['half a code unit', [0x00, 0x3c, 0x00], 'utf-16be'],
    ['half a surrogate pair in UTF-16', [0xd8, 0x00, 0x00, 0x3c], 'utf-16be'],
  ])('HDR-5: bytes that are invalid in the charset cause an error: %s', (_, bytes, charset) => {
    expect(decodeXml(Uint8Array.from(bytes), charset)).toHaveProperty(
      'malformed',
      expect.stringMatching(/^The text is not valid /),
    )
  })

  it('HDR-5: the result for an unsupported charset differs from the result for invalid bytes', () => {
    for (const charset of ['utf-7', 'utf-32', 'windows-1252', 'ebcdic-cp-us', '', 'constructor']) {
      expect(decodeXml(utf8('<a/>'), charset)).toEqual({ unsupportedCharset: charset })
    }
    expect(decodeXml(utf8('<a/>'), 'x'.repeat(5_000))).toEqual({ unsupportedCharset: 'x'.repeat(100) })
  })

  it('HDR-5: never throws, whatever the bytes', () => {
    const charset = fc.constantFrom(
      undefined,
      'utf-8',
      'us-ascii',
      'utf-16',
      'utf-16le',
      'utf-16be',
      'iso-8859-1',
      'utf-7',
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), charset, (bytes, name) => {
        expect(Object.keys(decodeXml(bytes, name))).toHaveLength(1)
      }),
      { numRuns: 1_000 },
    )
  })
})
