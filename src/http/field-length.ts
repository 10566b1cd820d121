/** Limits the length of header fields that the library parses (RFC 6585 5, RFC 9110 5.4). */
import { HttpProblem } from '../problem.js'

/**
 * Maximum length of a field value. This is also Node's default limit for all header fields of an
 * HTTP/1.1 request together. So over HTTP/1.1, only a service with a larger `maxHeaderSize` can
 * receive a longer value.
 */
export const longestField = 16_384

/** Throws `bad-request` (400) if the value of a field is longer than `longestField`. */
export function checkField(name: string, value: unknown): void {
  if (typeof value !== 'string' || value.length <= longestField) return
  const detail = `${name} has more than ${longestField} characters. Send a shorter value.`
  throw new HttpProblem('bad-request', {
    detail,
    errors: [{ header: name, detail, code: 'maxLength', params: { limit: longestField }, clause: 'ERR-1' }],
  })
}
