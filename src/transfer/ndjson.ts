/** Newline-delimited JSON as a format of exports and imports: one record a line. */
import { branded } from '../brand.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { Mounted } from '../plan/routes.js'
import type { TransferFormat } from '../plan/transfer-format.js'
import { dispositionOf, fileNameKind } from './disposition.js'
import { readLines } from './ndjson-reader.js'

export interface NdjsonOptions {
  /** The file that a browser stores an export in (`Content-Disposition: attachment`). Default: none is named. */
  readonly fileName?: string
}

export const ndjsonKinds: Kinds<NdjsonOptions> = { fileName: fileNameKind }

/**
 * NDJSON, for `exports` of `mount()` and for `imports()`: each line is a record as a page in JSON
 * shows it, and ends with LF.
 *
 * @example mount(orders, adapter, { exports: { formats: [ndjson()] } })
 */
export function ndjson(options: NdjsonOptions = {}): TransferFormat {
  const { fileName } = checkOptions<NdjsonOptions>('ndjson()', options, ndjsonKinds)
  const writer = { head: '', row: (record: unknown) => `${JSON.stringify(record)}\n` }
  const format: TransferFormat = {
    kind: 'transfer-format',
    mediaType: 'application/x-ndjson',
    contentType: 'application/x-ndjson; charset=utf-8',
    disposition: dispositionOf(fileName),
    writer: () => writer,
    describe: () => ({}),
    reader: (_resource: Mounted, depth: number) => (text: string) => readLines(text, depth),
  }
  return Object.freeze(branded('transfer-format', format))
}
