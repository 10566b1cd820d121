/** Reads NDJSON: each line is a record. Blank lines are skipped. */
import { isObject } from '../definition/json.js'
import { parseJson } from '../http/json-text.js'
import type { ReadRow } from '../plan/transfer-format.js'
import type { Violation } from '../problem.js'
import { longestRow, malformedRow } from './malformed-row.js'

/**
 * The records in a text. `depth` is the maximum nesting depth of arrays and objects, as for the
 * bodies of other requests.
 */
export function* readLines(text: string, depth: number): Generator<ReadRow> {
  let line = 0
  let at = 0
  while (at < text.length) {
    line += 1
    const found = text.indexOf('\n', at)
    const end = found === -1 ? text.length : found
    if (end - at > longestRow) throw malformedRow(line, `there are more than ${longestRow} characters`)
    const written = text.slice(at, end)
    at = end + 1
    if (written.trim() !== '') yield { line, ...rowOf(written, depth) }
  }
}

function rowOf(written: string, depth: number): Pick<ReadRow, 'record' | 'violations'> {
  const result = parseJson(Buffer.from(written), { depth })
  if ('malformed' in result)
    return refused({ pointer: result.pointer ?? '', detail: result.malformed, code: 'malformed', clause: 'HDR-5' })
  if (isObject(result.value)) return { record: result.value, violations: [] }
  return refused({ pointer: '', detail: 'A line must be a JSON object.', code: 'type', params: { types: ['object'] } })
}

const refused = (violation: Violation): Pick<ReadRow, 'record' | 'violations'> => ({
  record: {},
  violations: [violation],
})
