/** How long a header field of a request may be that is read here (RFC 6585 5, RFC 9110 5.4). */
import { HttpProblem } from '../problem.js'

/** Characters of a field: as many as Node takes of all fields by default, so only a service with a greater `maxHeaderSize` meets this limit. */
export const longestField = 16_384

/** Throws `bad-request` (400) for a field that is longer. */
export function checkField(name: string, value: unknown): void {
  if (typeof value !== 'string' || value.length <= longestField) return
  const detail = `${name} has more than ${longestField} characters. Send a shorter one.`
  throw new HttpProblem('bad-request', {
    detail,
    errors: [{ header: name, detail, code: 'maxLength', params: { limit: longestField }, clause: 'ERR-1' }],
  })
}
