/** Newline-delimited JSON as a format of exports and imports: one record a line. */
import { knownOptions } from '../definition/known-options.js'
import type { Mounted } from '../plan/routes.js'
import type { TransferFormat } from '../plan/transfer-format.js'
import { dispositionOf } from './disposition.js'
import { readLines } from './ndjson-reader.js'

export interface NdjsonOptions {
  /** The file that a browser stores an export in (`Content-Disposition: attachment`). Default: none is named. */
  readonly fileName?: string
}

/**
 * NDJSON, for `exports` of `mount()` and for `imports()`: each line is a record as a page in JSON
 * shows it, and ends with LF.
 *
 * @example mount(orders, adapter, { exports: { formats: [ndjson()] } })
 */
export function ndjson(options: NdjsonOptions = {}): TransferFormat {
  const { fileName } = knownOptions('ndjson()', options, { fileName: true })
  const writer = { head: '', row: (record: unknown) => `${JSON.stringify(record)}\n` }
  return Object.freeze({
    kind: 'transfer-format',
    mediaType: 'application/x-ndjson',
    contentType: 'application/x-ndjson; charset=utf-8',
    disposition: dispositionOf('ndjson()', fileName),
    writer: () => writer,
    reader: (_resource: Mounted, depth: number) => (text: string) => readLines(text, depth),
  })
}
