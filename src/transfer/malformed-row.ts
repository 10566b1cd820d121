/** Rows that can't be taken apart: what follows them can't be read either. */
import { HttpProblem } from '../problem.js'

/** Characters of one row. */
export const longestRow = 1_048_576

/** `line`: where the row begins. */
export function malformedRow(line: number, fault: string): HttpProblem {
  const detail = `In the row that begins in line ${line}, ${fault}.`
  return new HttpProblem('malformed-body', {
    detail,
    errors: [{ pointer: '', detail, code: 'malformed', clause: 'HDR-5' }],
  })
}
