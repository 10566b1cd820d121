/** Decodes files, which must be UTF-8 (RFC 3629). */
import { HttpProblem } from '../problem.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The text of a file, without its byte order mark. Throws `malformed-body` (400) if the file is not
 * UTF-8. If a file were decoded with the wrong encoding, incorrect text would be stored without
 * anyone noticing.
 */
export function fileText(bytes: Uint8Array, charset = 'utf-8'): string {
  const [first, second] = bytes
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  if (!/^utf-?8$/i.test(charset)) throw malformed(`The charset is ${JSON.stringify(charset.slice(0, 40))}. Send UTF-8.`)
  if (wide) throw malformed('The file is UTF-16. Save it as UTF-8.')
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (error) {
    throw malformed('The file is not UTF-8: it may be Latin-1 or Windows-1252. Save it as UTF-8.', error)
  }
  // If ASCII text is encoded as UTF-16 without a byte order mark, every other byte is NUL.
  if (text[0] === '\0' || text[1] === '\0')
    throw malformed('The file begins with NUL characters: it may be UTF-16. Save it as UTF-8.')
  return text
}

function malformed(detail: string, cause?: unknown): HttpProblem {
  const errors = [{ pointer: '', detail, code: 'encoding', clause: 'HDR-5' }]
  return new HttpProblem('malformed-body', { detail, errors, ...(cause === undefined ? {} : { cause }) })
}
