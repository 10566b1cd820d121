/** Limits the length of header fields that the library parses (RFC 6585 5, RFC 9110 5.4). */
import { HttpProblem } from '../problem.js'

/**
 * Maximum length of a field. It equals Node's default limit for all fields, so only a service with
 * a larger `maxHeaderSize` reaches it.
 */
export const longestField = 16_384

/** Throws `bad-request` (400) for a longer field. */
export function checkField(name: string, value: unknown): void {
  if (typeof value !== 'string' || value.length <= longestField) return
  const detail = `${name} has more than ${longestField} characters. Send a shorter one.`
  throw new HttpProblem('bad-request', {
    detail,
    errors: [{ header: name, detail, code: 'maxLength', params: { limit: longestField }, clause: 'ERR-1' }],
  })
}
