/** CSV as a format of exports and imports (RFC 4180). */

import { branded } from '../brand.js'
import { get } from '../definition/json.js'
import { checkOptions } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import type { Kinds } from '../options/kinds.js'
import type { Mounted } from '../plan/routes.js'
import type { RowWriter, TransferFormat } from '../plan/transfer-format.js'
import { ConfigurationError } from '../problem.js'
import { type Column, columnsOf, columnsToDescribe } from './columns.js'
import { type CellRules, textCell } from './csv-cells.js'
import { csvReader } from './csv-reader.js'
import { dispositionOf, fileNameKind } from './disposition.js'

export interface CsvOptions {
  /**
   * The separator of cells: `,`, `;`, a tab or `|`. Spreadsheets in many locales expect `;`.
   * Default `,`.
   */
  readonly separator?: ',' | ';' | '\t' | '|'
  /**
   * Whether to put a `'` in front of strings that a spreadsheet would treat as formulas. An import
   * with the same option removes the `'`. Numbers are not changed. Default false.
   */
  readonly escapeFormulas?: boolean
  /**
   * Whether an export starts with a byte order mark, by which Excel recognizes UTF-8. Imports
   * accept files with and without a byte order mark. Default false.
   */
  readonly bom?: boolean
  /**
   * The file name under which a browser saves an export (`Content-Disposition: attachment`).
   * Default: no file name.
   */
  readonly fileName?: string
}

/**
 * CSV with a header row, for `exports` of `mount()` and for `imports()`.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
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
      'x-csv': { separator, escapedFormulas: escapeFormulas, columns: columnsToDescribe(resource) },
    }),
    reader: (resource: Mounted, depth: number) => csvReader(resource, { ...rules, depth }),
  }
  return Object.freeze(branded('transfer-format', format))
}

declareFactory(csv, 'csv()')

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
      `Records of "${plan.collection}" may have undeclared members, but CSV needs a column for each member. ` +
        'Allow only declared members in the schema, or use ndjson().',
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
  // If formulas are escaped, a string is escaped even in a column for values of another type, such
  // as numbers. Not escaped are JSON cells, numbers, and strings such as `-1.5` in a column for
  // `decimal` or `int64`.
  if (typeof value === 'string')
    return textCell(value, numeric && isNumber(value) ? { ...rules, escapeFormulas: false } : rules)
  if (typeof value === 'number' && !Number.isFinite(value)) return ''
  return typeof value === 'object' ? jsonCell(value, rules) : String(value)
}

/**
 * The cell for a value that is written as JSON. Of all JSON texts, only a number can start like a
 * formula, and numbers are not escaped.
 */
function jsonCell(value: unknown, { separator }: CellRules): string {
  return textCell(JSON.stringify(value) ?? 'null', { separator, escapeFormulas: false })
}

const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text)
