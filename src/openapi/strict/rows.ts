/**
 * Reads bodies that are a sequence of records: exports in CSV and NDJSON. The records are decoded
 * using only the OpenAPI document.
 */
import { isObject, type JsonObject } from '../../definition/json.js'
import { CsvTable } from './csv-table.js'
import { SchemaParts } from './schema-parts.js'

/** One record of a body, or a fault in its line. */
export interface Row {
  /** The line number, from 1. */
  readonly line: number
  readonly value?: unknown
  readonly fault?: string
}

/** Returns the records of a body. Throws an `Error` if the body can't be split into records. */
export type ReadRows = (text: string) => Iterable<Row>

/**
 * Returns the reader for a media type. Returns `undefined` if such a body is not a sequence of
 * records, or if the document does not describe the records.
 */
export function rowReader(document: unknown, type: string, media: Readonly<JsonObject>): ReadRows | undefined {
  const { 'x-item-schema': record, 'x-csv': table } = media
  if (!isObject(record)) return undefined
  if (isObject(table)) return (text) => new CsvTable(new SchemaParts(document), record, table).rows(text)
  return type === 'application/x-ndjson' ? jsonLines : undefined
}

function* jsonLines(text: string): Generator<Row, void, undefined> {
  const lines = text.split('\n')
  // Each line ends with LF, so the text after the last LF is empty.
  const rest = lines.pop()
  for (const [index, line] of lines.entries()) yield { line: index + 1, ...jsonRow(line) }
  if (rest !== '') yield { line: lines.length + 1, fault: 'it does not end with LF' }
}

function jsonRow(line: string): Pick<Row, 'value' | 'fault'> {
  try {
    return { value: JSON.parse(line) }
  } catch {
    return { fault: 'it is not JSON' }
  }
}
