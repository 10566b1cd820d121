/** The formats of exports and imports, and the option `exports` of a mount. */

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
  /** The text before the first row: empty, or a header row. */
  readonly head: string
  /**
   * Returns the row of a record, including the row terminator. `record` is the JSON representation
   * of the record.
   */
  row(record: JsonObject): string
}

/** One row of an import. */
export interface ReadRow {
  /** The number of the line at which the row begins, counted from 1. */
  readonly line: number
  /**
   * The record as a client would have sent it in a JSON body, without the members that could not be
   * read.
   */
  readonly record: JsonObject
  /** Violations for the parts of the row that could not be read, with pointers into the record. */
  readonly violations: readonly Violation[]
}

/**
 * Reads the rows of an import, one after another. If the text can't be parsed, throws
 * `malformed-body` (400) or `invalid-body` (422).
 */
export type RowReader = (text: string) => Iterable<ReadRow>

/** The result of `csv()` or `ndjson()`: a format of exports and imports. */
export interface TransferFormat {
  readonly kind: 'transfer-format'
  /**
   * The media type, such as `text/csv`. Requests for an export have it in `Accept`, and imports
   * have it in `Content-Type`.
   */
  readonly mediaType: string
  /** The `Content-Type` of an export. */
  readonly contentType: string
  /** The value of `Content-Disposition`, if an export has one. */
  readonly disposition: string | undefined
  /**
   * Creates the writer for records of this resource. `expand`: the names of the links that are
   * expanded in the records. Throws `ConfigurationError` if the format can't represent such
   * records. The method is also called once at startup.
   */
  writer(resource: Mounted, expand: readonly string[]): RowWriter
  /**
   * Returns `x-` members for the media type of an export in an OpenAPI document. These members
   * describe the exports of this resource, in addition to the schema of the records.
   */
  describe(resource: Mounted): Readonly<JsonObject>
  /**
   * Creates the reader for records of this resource. `depth` is the maximum nesting depth of arrays
   * and objects.
   */
  reader(resource: Mounted, depth: number): RowReader
}

/**
 * The option `exports` of a mount: the formats in which whole lists are available, and the limits
 * of exports.
 */
export interface ExportOptions {
  /** The results of `csv()`, `ndjson()` or both, from `express-rest-conventions/transfer`. */
  readonly formats: readonly TransferFormat[]
  /**
   * The time limit of a whole export in milliseconds. The time limit of the service applies to each
   * page of the export. Default 600,000: ten minutes.
   */
  readonly timeout?: number
  /**
   * An export is cut off if its client reads nothing for this time, in milliseconds. Default
   * 30,000.
   */
  readonly stallTimeout?: number
  /**
   * Maximum number of concurrent exports of this mount in this process. The response to a further
   * export is 503. Default 10.
   */
  readonly maxConcurrent?: number
}

/** The resolved option `exports` of a resource. `running` is the number of exports in progress. */
export interface Exports {
  readonly formats: readonly TransferFormat[]
  readonly timeout: number
  readonly stallTimeout: number
  readonly maxConcurrent: number
  running: number
}

/** Tells `checkOptions` that the value of an option must be a list of formats. */
export const formatsKind: ListKind = {
  each: { by: 'the result of csv() or ndjson()', is: (value) => hasBrand('transfer-format', value) },
  min: 1,
  a: 'a list of results of csv() and ndjson(): [csv(), ndjson()]',
}

export const exportKinds: Kinds<ExportOptions> = {
  formats: { required: formatsKind },
  timeout: milliseconds,
  stallTimeout: milliseconds,
  maxConcurrent: count,
}

/**
 * Returns the media types of the formats. Throws `ConfigurationError` if two formats have the same
 * media type.
 */
export function mediaTypesOf(what: string, formats: readonly TransferFormat[]): readonly string[] {
  const types = formats.map(({ mediaType }) => mediaType)
  const twice = types.find((type, at) => types.indexOf(type) < at)
  if (twice !== undefined)
    throw invalidOption(`${what} has two formats with the media type "${twice}". Remove one of them.`)
  return types
}

/**
 * Resolves the option `exports` of a mount. `what` names the mount in messages. The type of the
 * option has already been checked. Throws `ConfigurationError` if two formats have the same media
 * type, or if one of `representations` represents lists and has the media type of a format.
 */
export function exportsOption(
  what: string,
  given: ExportOptions | undefined,
  representations: readonly CustomRepresentation[],
): Exports | undefined {
  if (given === undefined) return undefined
  const { formats, timeout = 600_000, stallTimeout = 30_000, maxConcurrent = 10 } = given
  const types = mediaTypesOf(`exports of ${what}`, formats)
  const taken = representations.find(
    (one) => one.list !== undefined && types.some((type) => typeOf(one.contentType) === typeOf(type)),
  )
  if (taken !== undefined) {
    throw invalidOption(
      `"${taken.contentType}" of ${what} is both an export and a representation of lists. ` +
        'Remove one of the two: a media type must have one meaning.',
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
