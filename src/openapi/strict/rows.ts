/** Bodies whose lines are records: exports in CSV and NDJSON, read by nothing but the document. */
import { isObject, type JsonObject } from '../../definition/json.js'
import { CsvTable } from './csv-table.js'
import { SchemaParts } from './schema-parts.js'

/** A record of a body, or why there is none. */
export interface Row {
  /** From 1. */
  readonly line: number
  readonly value?: unknown
  readonly fault?: string
}

/** The records of a body, one after another. Throws an `Error` for what can not be taken apart. */
export type ReadRows = (text: string) => Iterable<Row>

/** How the bodies of a media type are read; `undefined` where its lines are no records, or the document does not say what they are. */
export function rowReader(document: unknown, type: string, media: Readonly<JsonObject>): ReadRows | undefined {
  const { 'x-item-schema': record, 'x-csv': table } = media
  if (!isObject(record)) return undefined
  if (isObject(table)) return (text) => new CsvTable(new SchemaParts(document), record, table).rows(text)
  return type === 'application/x-ndjson' ? jsonLines : undefined
}

function* jsonLines(text: string): Generator<Row, void, undefined> {
  const lines = text.split('\n')
  // Each line ends with LF, so nothing stands behind the last one.
  const rest = lines.pop()
  for (const [index, line] of lines.entries()) yield { line: index + 1, ...jsonRow(line) }
  if (rest !== '') yield { line: lines.length + 1, fault: 'it does not end with LF' }
}

function jsonRow(line: string): Pick<Row, 'value' | 'fault'> {
  try {
    return { value: JSON.parse(line) }
  } catch {
    return { fault: 'it is no JSON' }
  }
}
