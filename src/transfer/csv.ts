/** CSV as a format of exports and imports (RFC 4180). */

import { branded } from '../brand.js'
import { get } from '../definition/json.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { Mounted } from '../plan/routes.js'
import type { RowWriter, TransferFormat } from '../plan/transfer-format.js'
import { ConfigurationError } from '../problem.js'
import { type Column, columnsOf, columnsToTell } from './columns.js'
import { type CellRules, textCell } from './csv-cells.js'
import { csvReader } from './csv-reader.js'
import { dispositionOf, fileNameKind } from './disposition.js'

export interface CsvOptions {
  /** What stands between two cells: `,` `;` a tab or `|`. Spreadsheets of many locales want `;`. Default `,`. */
  readonly separator?: ',' | ';' | '\t' | '|'
  /**
   * Put `'` before texts that a spreadsheet would take for a formula; an import with the same option
   * takes it away again. Numbers stay as they are. Default false.
   */
  readonly escapeFormulas?: boolean
  /** Begin an export with a byte order mark, by which Excel knows UTF-8. Imports take both. Default false. */
  readonly bom?: boolean
  /** The file that a browser stores an export in (`Content-Disposition: attachment`). Default: none is named. */
  readonly fileName?: string
}

/**
 * CSV with a header row, for `exports` of `mount()` and for `imports()`. Throws `ConfigurationError`
 * where an option makes no sense.
 *
 * @example mount(orders, adapter, { exports: { formats: [csv({ escapeFormulas: true, fileName: 'orders.csv' })] } })
 */
export function csv(options: CsvOptions = {}): TransferFormat {
  checkOptions('csv()', options, csvKinds)
  const { separator = ',', escapeFormulas = false, bom = false, fileName } = options
  const rules: CellRules = { separator, escapeFormulas }
  const format: TransferFormat = {
    kind: 'transfer-format',
    mediaType: 'text/csv',
    contentType: 'text/csv; charset=utf-8; header=present',
    disposition: dispositionOf(fileName),
    writer: (resource: Mounted, expand: readonly string[]) => csvWriter(resource, expand, rules, bom),
    describe: (resource: Mounted) => ({
      'x-csv': { separator, escapedFormulas: escapeFormulas, columns: columnsToTell(resource) },
    }),
    reader: (resource: Mounted, depth: number) => csvReader(resource, { ...rules, depth }),
  }
  return Object.freeze(branded('transfer-format', format))
}

export const csvKinds: Kinds<CsvOptions> = {
  separator: { oneOf: [',', ';', '\t', '|'] },
  escapeFormulas: 'boolean',
  bom: 'boolean',
  fileName: fileNameKind,
}

function csvWriter(resource: Mounted, expand: readonly string[], rules: CellRules, bom: boolean): RowWriter {
  const { plan } = resource
  if (plan.open) {
    throw new ConfigurationError(
      'unsuitable-member',
      `Records of "${plan.collection}" may have any member, and CSV needs a column for each. Close its schema, or export it with ndjson().`,
    )
  }
  const columns = columnsOf(resource, expand)
  const names = columns.map(({ name }) => textCell(name, rules))
  return {
    head: `${bom ? '\uFEFF' : ''}${names.join(rules.separator)}\r\n`,
    row(record) {
      let line = ''
      for (let i = 0; i < columns.length; i += 1) {
        const column = columns[i] as Column
        if (i > 0) line += rules.separator
        line += cellOf(column, get(record, column.path), rules)
      }
      return `${line}\r\n`
    },
  }
}

function cellOf({ kind, numeric }: Column, value: unknown, rules: CellRules): string {
  if (value === undefined) return ''
  if (kind === 'json') return jsonCell(value, rules)
  if (value === null) return ''
  // Whatever the schema says: no text leaves as it is where formulas are escaped.
  if (typeof value === 'string')
    return textCell(value, numeric && isNumber(value) ? { ...rules, escapeFormulas: false } : rules)
  if (typeof value === 'number' && !Number.isFinite(value)) return ''
  return typeof value === 'object' ? jsonCell(value, rules) : String(value)
}

/** JSON never begins like a formula, but for numbers. */
function jsonCell(value: unknown, { separator }: CellRules): string {
  return textCell(JSON.stringify(value) ?? 'null', { separator, escapeFormulas: false })
}

const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text)
