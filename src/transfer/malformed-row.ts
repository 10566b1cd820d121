/** The problem for a row that can't be parsed. The rows after it can't be parsed either. */
import { HttpProblem } from '../problem.js'

/** The maximum length of a row, in characters. */
export const longestRow = 1_048_576

/** `line` is the line in which the row begins. */
export function malformedRow(line: number, fault: string): HttpProblem {
  const detail = `In the row that begins in line ${line}, ${fault}.`
  return new HttpProblem('malformed-body', {
    detail,
    errors: [{ pointer: '', detail, code: 'malformed', clause: 'HDR-5' }],
  })
}
