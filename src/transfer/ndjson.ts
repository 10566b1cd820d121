/** Newline-delimited JSON as a format of exports and imports: one record per line. */
import { branded } from '../brand.js'
import { checkOptions } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import type { Kinds } from '../options/kinds.js'
import type { Mounted } from '../plan/routes.js'
import type { TransferFormat } from '../plan/transfer-format.js'
import { dispositionOf, fileNameKind } from './disposition.js'
import { readLines } from './ndjson-reader.js'

export interface NdjsonOptions {
  /**
   * The file name under which a browser saves an export (`Content-Disposition: attachment`).
   * Default: no file name.
   */
  readonly fileName?: string
}

export const ndjsonKinds: Kinds<NdjsonOptions> = { fileName: fileNameKind }

/**
 * NDJSON, for `exports` of `mount()` and for `imports()`. Each line is a record in its JSON
 * representation, and ends with LF.
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

declareFactory(ndjson, 'ndjson()')
