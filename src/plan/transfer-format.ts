/** How whole lists leave and come in: the formats of exports and imports, and the option `exports` of a mount. */

import { hasBrand } from '../brand.js'
import type { JsonObject } from '../definition/json.js'
import { invalidOption } from '../options/check.js'
import { count, type Kinds, type ListKind, milliseconds } from '../options/kinds.js'
import type { Violation } from '../problem.js'
import { longestTimer } from '../timeout.js'
import type { CustomRepresentation } from './custom-representation.js'
import type { Mounted } from './routes.js'

/** Writes the rows of one export. */
export interface RowWriter {
  /** What stands before the first row: empty, or a header row. */
  readonly head: string
  /** A record as JSON would show it, with what ends its row. */
  row(record: JsonObject): string
}

/** One row of an import. */
export interface ReadRow {
  /** Where it begins in the text, from 1. */
  readonly line: number
  /** As a client would have sent it; what could not be read is not in it. */
  readonly record: JsonObject
  /** What could not be read, with pointers into the record. */
  readonly violations: readonly Violation[]
}

/** The rows of an import, one after the other. Throws `malformed-body` (400) and `invalid-body` (422) where the text can't be taken apart. */
export type RowReader = (text: string) => Iterable<ReadRow>

/** What `csv()` and `ndjson()` make: a format of exports and imports. */
export interface TransferFormat {
  readonly kind: 'transfer-format'
  /** What `Accept` and `Content-Type` ask for and name, such as `text/csv`. */
  readonly mediaType: string
  /** The `Content-Type` of an export. */
  readonly contentType: string
  /** The value of `Content-Disposition`, where an export has one. */
  readonly disposition: string | undefined
  /**
   * The writer of records of this resource with these associations expanded. Throws
   * `ConfigurationError` where the format can't hold them; called once at start, too.
   */
  writer(resource: Mounted, expand: readonly string[]): RowWriter
  /** What a document says of exports of this resource, beside the schema of their records: `x-` members of the media type. */
  describe(resource: Mounted): Readonly<JsonObject>
  /** The reader of records of this resource, in which arrays and objects may stand `depth` deep in one another. */
  reader(resource: Mounted, depth: number): RowReader
}

/** The option `exports` of a mount: what a whole list can be had in, and for how long. */
export interface ExportOptions {
  /** `csv()` and `ndjson()` of `express-rest-conventions/transfer`, or one of them. */
  readonly formats: readonly TransferFormat[]
  /** Milliseconds for a whole export, whatever the timeout of a request is. Default 600,000: ten minutes. */
  readonly timeout?: number
  /** Milliseconds for which a client may take nothing of what is sent. Default 30,000. */
  readonly stallTimeout?: number
  /** Exports of this mount that run at once in this process; a further one is 503. Default 10. */
  readonly maxConcurrent?: number
}

/** The exports of a resource, resolved. `running` counts those under way. */
export interface Exports {
  readonly formats: readonly TransferFormat[]
  readonly timeout: number
  readonly stallTimeout: number
  readonly maxConcurrent: number
  running: number
}

/** An option that takes formats. */
export const formatsKind: ListKind = {
  each: { by: 'what csv() or ndjson() made', is: (value) => hasBrand('transfer-format', value) },
  least: 1,
  a: 'a list of what csv() and ndjson() made: [csv(), ndjson()]',
}

export const exportKinds: Kinds<ExportOptions> = {
  formats: { required: formatsKind },
  timeout: milliseconds,
  stallTimeout: milliseconds,
  maxConcurrent: count,
}

/** The media types of formats. Throws `ConfigurationError` where one stands twice. */
export function mediaTypesOf(what: string, formats: readonly TransferFormat[]): readonly string[] {
  const types = formats.map(({ mediaType }) => mediaType)
  const twice = types.find((type, at) => types.indexOf(type) < at)
  if (twice !== undefined) throw invalidOption(`${what} has two formats of "${twice}". Give one.`)
  return types
}

/**
 * The option `exports` of `what`, which is of its kind. Throws `ConfigurationError` for a media type
 * that stands twice or that a representation of the same mount writes already.
 */
export function exportsOption(
  what: string,
  given: ExportOptions | undefined,
  representations: readonly CustomRepresentation[],
): Exports | undefined {
  if (given === undefined) return undefined
  const { formats, timeout = 600_000, stallTimeout = 30_000, maxConcurrent = 10 } = given
  const types = mediaTypesOf(`exports of ${what}`, formats)
  const taken = representations.find((one) => one.list !== undefined && types.some((type) => typeOf(one.contentType) === typeOf(type)))
  if (taken !== undefined) {
    throw invalidOption(
      `"${taken.contentType}" of ${what} is both an export and a representation of its pages. Leave one out: a media type has one meaning.`,
    )
  }
  return {
    formats: Object.freeze([...formats]),
    timeout: Math.min(timeout, longestTimer),
    stallTimeout: Math.min(stallTimeout, longestTimer),
    maxConcurrent,
    running: 0,
  }
}

const typeOf = (contentType: string): string => (contentType.split(';')[0] as string).trim().toLowerCase()
