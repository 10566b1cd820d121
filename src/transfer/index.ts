/** Exports and imports of whole lists. */
export { type CsvOptions, csv } from './csv.js'
export { type ImportOptions, type ImportReport, imports, type Transaction } from './imports.js'
export { type NdjsonOptions, ndjson } from './ndjson.js'
