/**
 * Imports create many records from one file. Each record gets the checks of a POST. One report
 * contains the violations of all rows, up to a maximum.
 */
import { escapePointer, type JsonObject, pointerTokens } from '../definition/json.js'
import { checkDefinition, type ResourceDefinition } from '../definition/resource.js'
import { checkOptions } from '../options/check.js'
import { count, functionBy, type Kinds } from '../options/kinds.js'
import { type Endpoint, type EndpointCall, endpoint, endpointLimitKinds } from '../plan/endpoint.js'
import type { EndpointLimits, Upload } from '../plan/endpoint-types.js'
import { maxViolations, summaryOf } from '../plan/refusal.js'
import type { Mounted } from '../plan/routes.js'
import { formatsKind, mediaTypesOf, type ReadRow, type TransferFormat } from '../plan/transfer-format.js'
import { ConfigurationError, HttpProblem, Unavailable, type Violation } from '../problem.js'
import { Slices } from '../slices.js'
import { header } from '../wire.js'
import { fileText } from './file-text.js'
import { formFile } from './multipart.js'
import { withoutReadOnly } from './read-only.js'

/**
 * A function of yours that runs work in a transaction. It begins a transaction, and calls `run`
 * with the value that the adapter's `within()` takes. If `run` resolves, the function commits. If
 * `run` rejects, the function rolls back and rejects.
 */
export type Transaction = <R>(run: (within: unknown) => Promise<R>) => Promise<R>

export interface ImportOptions extends EndpointLimits {
  /** The purpose of the endpoint. PATH-8 requires this documentation. */
  readonly description: string
  /** The accepted formats of files: `csv()` and `ndjson()`. */
  readonly formats: readonly TransferFormat[]
  /**
   * A function that runs the import in a transaction, so that all rows are written or none.
   * `'none'` is for a store without transactions. In this mode, nothing is written before all rows
   * have passed their checks. If the store still refuses some rows, the other rows are written.
   */
  readonly transaction: Transaction | 'none'
  /** The maximum number of rows in a file. The response to a larger file is 413. Default 10,000. */
  readonly maxRows?: number
  /**
   * The maximum number of concurrent imports of this endpoint in this process. The response to a
   * further import is 503. Four times as many files may be in memory, including those that are
   * still arriving. Default 2.
   */
  readonly maxConcurrent?: number
  /** An API area: the path segment between the version and the name. */
  readonly area?: string
}

/** The response to a successful import (200). */
export interface ImportReport {
  /** The number of rows in the file. */
  readonly rows: number
  /** The number of created records: 0 in a dry run. */
  readonly created: number
  readonly dryRun: boolean
}

const rowCount = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const

const reportSchema = {
  type: 'object',
  properties: { rows: rowCount, created: rowCount, dryRun: { type: 'boolean' } },
  required: ['rows', 'created', 'dryRun'],
  additionalProperties: false,
} as const

/** The default maximum size of a file, in bytes. */
const defaultBodyLimit = 10_485_760

/**
 * The number of files that may be in memory, as a multiple of `maxConcurrent`. Files that are still
 * arriving use no connection of the store, so more files than running imports are allowed. With a
 * smaller number, slow uploads would block the imports of other clients.
 */
const filesPerImport = 4

const busy = (): Unavailable =>
  new Unavailable({ retryAfter: 10, detail: 'Too many imports are running. Nothing was changed: try again.' })

/**
 * The number of rows that are checked together. Their links, parents and keys are looked up
 * together, and not row by row.
 */
const batchSize = 200

/**
 * Creates an endpoint that imports files of records. A POST of a CSV or NDJSON file creates the
 * records, with the checks of a POST for each row. The file is either the body itself or the part
 * `file` of a form. With `?dryRun=true`, the import runs in its transaction, which is then rolled
 * back. With `transaction: 'none'`, a dry run only checks the rows. The resource must be mounted in
 * the same version.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * api({ versions: { v1: [mount(orders, adapter), imports('order-imports', orders, { description:
 * 'Takes orders from a file.', formats: [csv()], transaction })] } })
 */
export function imports<T, K, L extends string>(
  name: string,
  definition: ResourceDefinition<T, K, L>,
  options: ImportOptions,
): Endpoint {
  checkDefinition('imports()', definition)
  const what = `imports("${String(name)}")`
  const given = checkOptions<ImportOptions>(what, options, importKinds)
  const {
    description,
    area,
    formats,
    maxRows = 10_000,
    maxConcurrent = 2,
    bodyLimit = defaultBodyLimit,
    timeout = 60_000,
  } = given
  const types = [...mediaTypesOf(what, formats), 'multipart/form-data']
  let running = 0
  let files = 0
  const hold = (): (() => void) => {
    if (files >= maxConcurrent * filesPerImport) throw busy()
    files += 1
    return () => {
      files -= 1
    }
  }
  const handle = async (call: EndpointCall<{ readonly dryRun?: boolean }>): Promise<ImportReport> => {
    if (running >= maxConcurrent) throw busy()
    running += 1
    try {
      return await new Import(call, definition as unknown as ResourceDefinition, given, maxRows).run()
    } finally {
      running -= 1
    }
  }
  return endpoint(name, {
    description,
    ...(area === undefined ? {} : { area }),
    methods: {
      POST: {
        query: { properties: { dryRun: { type: 'boolean' } } },
        upload: {
          types,
          resource: definition.collection,
          hold,
          check: (mounted: Mounted | undefined) =>
            checkMounted(what, definition as unknown as ResourceDefinition, given, mounted),
        },
        bodyLimit,
        timeout,
        describe: { responses: { 200: { description: 'The result of the import.', schema: reportSchema } } },
        handle,
      },
    },
  } as never) as Endpoint
}

/** Throws `ConfigurationError` if no record can be imported into the version. */
function checkMounted(
  what: string,
  definition: ResourceDefinition,
  { transaction }: Pick<ImportOptions, 'transaction'>,
  mounted: Mounted | undefined,
): void {
  const { collection } = definition
  if (mounted === undefined) {
    throw new ConfigurationError(
      'unresolved-link',
      `${what} imports "${collection}", which is not mounted in the same version. Mount it in this version.`,
    )
  }
  if (mounted.plan.definition !== definition) {
    throw new ConfigurationError(
      'unresolved-link',
      `${what} has another definition of "${collection}" than the mount in the same version. Give imports() the ` +
        'definition that is mounted.',
    )
  }
  if (mounted.adapter.create === undefined) {
    throw new ConfigurationError(
      'adapter-incomplete',
      `${what} creates records, but the adapter of "${collection}" has no create(). Give it create(), or leave the ` +
        'import out.',
    )
  }
  if (transaction !== 'none' && mounted.adapter.within === undefined) {
    throw new ConfigurationError(
      'adapter-incomplete',
      `${what} has a "transaction", but the adapter of "${collection}" has no within(), so it can't use the ` +
        `transaction. Give the adapter within(), or set "transaction" to 'none'.`,
    )
  }
}

/**
 * The valid values of the options of `imports()`. Here, `description` may have any value, because
 * `endpoint()` checks it.
 */
export const importKinds: Kinds<ImportOptions> = {
  description: 'any',
  formats: { required: formatsKind },
  transaction: {
    required: [
      functionBy('a function that runs work in a transaction'),
      { by: "'none' for a store without transactions", is: (value) => value === 'none' },
    ],
  },
  maxRows: count,
  maxConcurrent: count,
  ...endpointLimitKinds,
  area: 'string',
}

/** Thrown to roll back the transaction of a dry run. */
const dryRunEnd = Symbol('dry run')

/** The import of one file. */
class Import {
  readonly #call: EndpointCall<{ readonly dryRun?: boolean }>
  readonly #definition: ResourceDefinition
  readonly #options: ImportOptions
  readonly #maxRows: number
  readonly #found: Violation[] = []
  #count = 0
  #refusedRows = 0
  #rows = 0

  constructor(
    call: EndpointCall<{ readonly dryRun?: boolean }>,
    definition: ResourceDefinition,
    options: ImportOptions,
    maxRows: number,
  ) {
    this.#call = call
    this.#definition = definition
    this.#options = options
    this.#maxRows = maxRows
  }

  async run(): Promise<ImportReport> {
    const { query } = this.#call
    const { transaction } = this.#options
    const rows = await this.#read()
    const dryRun = query.dryRun === true
    if (transaction === 'none') await this.#writeEach(rows, dryRun)
    else await this.#writeTogether(rows, transaction, dryRun)
    return { rows: this.#rows, created: dryRun ? 0 : this.#rows, dryRun }
  }

  /** The rows of the file. */
  async #read(): Promise<Iterable<ReadRow>> {
    const upload = this.#call.body as Upload
    const { media, resource, depth, bytes } = upload
    if (media.type !== 'multipart/form-data') {
      const format = this.#options.formats.find(({ mediaType }) => mediaType === media.type) as TransferFormat
      return format.reader(resource, depth)(fileText(bytes, media.parameters.get('charset')))
    }
    const file = await formFile(
      `multipart/form-data; boundary=${JSON.stringify(media.parameters.get('boundary') ?? '')}`,
      bytes,
    )
    return this.#formatOf(file.mediaType).reader(resource, depth)(fileText(file.bytes))
  }

  /**
   * The format of the file. The media type that a browser sends for a file depends on the programs
   * on the user's computer. If only one format is allowed, a generic media type is therefore
   * accepted, too.
   */
  #formatOf(type: string): TransferFormat {
    const { formats } = this.#options
    const [only] = formats
    const named = formats.find(({ mediaType }) => mediaType === type)
    if (named !== undefined) return named
    if (only !== undefined && formats.length === 1 && genericTypes.includes(type)) return only
    const types = formats.map(({ mediaType }) => mediaType)
    const detail = `The part "file" is of the type ${JSON.stringify(type.slice(0, 80))}. Send ${types.join(' or ')}.`
    const errors = [{ header: header.contentType, detail, allowed: types, code: 'unsupported', clause: 'HDR-5' }]
    throw new HttpProblem('unsupported-content', { detail, errors, headers: { [header.accept]: types.join(', ') } })
  }

  /**
   * Writes all rows in one transaction, in batches. After the first violation, the remaining
   * batches are only checked.
   */
  async #writeTogether(rows: Iterable<ReadRow>, transaction: Transaction, dryRun: boolean): Promise<void> {
    try {
      await transaction(async (within) => {
        const records = this.#call.records(this.#definition, { within })
        for await (const batch of this.#batches(rows)) {
          const values = batch.map(({ record }) => record)
          const done = this.#count > 0 ? await records.checkAll(values) : await records.createAll(values)
          if ('problem' in done) this.#refuse(batch, done.problem)
        }
        this.#throwIfRefused()
        this.#checkTime()
        if (dryRun) throw dryRunEnd
      })
    } catch (error) {
      if (error !== dryRunEnd) throw error
    }
  }

  /**
   * Checks all rows. If no row was refused, and this is not a dry run, writes the rows without a
   * transaction.
   */
  async #writeEach(rows: Iterable<ReadRow>, dryRun: boolean): Promise<void> {
    const all: ReadRow[] = []
    for await (const batch of this.#batches(rows)) all.push(...batch)
    const records = this.#call.records(this.#definition)
    const values = all.map(({ record }) => record)
    const checked = await records.checkAll(values)
    if ('problem' in checked) this.#refuse(all, checked.problem)
    this.#throwIfRefused()
    this.#checkTime()
    if (dryRun) return
    const done = await records.createAll(values)
    if (!('problem' in done)) return
    this.#refuse(all, done.problem)
    const made = done.made.filter((one) => one !== undefined).length
    this.#throwIfRefused(` ${made} of ${this.#rows} rows were created: the others were refused by the store.`)
  }

  /** The rows that could be parsed, in batches. Read-only members are removed. */
  async *#batches(rows: Iterable<ReadRow>): AsyncGenerator<readonly (ReadRow & { readonly row: number })[]> {
    let batch: (ReadRow & { readonly row: number })[] = []
    const slices = new Slices()
    for (const read of rows) {
      const pause = slices.pause()
      if (pause !== undefined) await pause
      const row = this.#rows
      this.#rows += 1
      if (this.#rows > this.#maxRows) {
        throw new HttpProblem('body-too-large', {
          detail: `A file must not have more than ${this.#maxRows} rows. Nothing was changed.`,
        })
      }
      this.#checkTime()
      if (read.violations.length > 0) this.#add(row, read.line, read.violations)
      else batch.push({ ...read, row, record: withoutReadOnly(this.#definition.shape, read.record) as JsonObject })
      if (batch.length < batchSize) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }

  /**
   * Throws if the time limit of the import is reached, so that the transaction is rolled back.
   * Otherwise, the transaction would be committed although the client has received a 503.
   */
  #checkTime(): void {
    if (this.#call.left() > 0) return
    throw new Unavailable({
      detail: 'The time limit of this import is reached. Nothing was written: send a smaller file, or try again.',
    })
  }

  /** Adds the violations of a batch. Their pointers begin with the index of the row in the file. */
  #refuse(batch: readonly ReadRow[], problem: HttpProblem): void {
    if (problem.status !== 422) throw problem
    const byRow = new Map<number, Violation[]>()
    for (const violation of problem.errors) {
      const [at = '', ...path] = pointerTokens(violation.pointer ?? '')
      const pointer = path.map((name) => `/${escapePointer(name)}`).join('')
      byRow.set(Number(at), [...(byRow.get(Number(at)) ?? []), { ...violation, pointer }])
    }
    for (const [at, violations] of byRow) {
      const { row, line } = batch[at] as ReadRow & { readonly row: number }
      this.#add(row, line, violations)
    }
  }

  #add(row: number, line: number, violations: readonly Violation[]): void {
    this.#count += violations.length
    this.#refusedRows += 1
    for (const { pointer = '', detail, ...rest } of violations) {
      if (this.#found.length === maxViolations) return
      this.#found.push({ pointer: `/${row}${pointer}`, detail: `Line ${line}: ${detail}`, ...rest })
    }
  }

  /**
   * If there are violations, throws a problem that counts all of them and lists the first
   * `maxViolations`.
   */
  #throwIfRefused(written = ' Nothing was written.'): void {
    if (this.#count === 0) return
    const violations = this.#count === 1 ? 'violation' : 'violations'
    const rows = this.#rows === 1 ? 'row' : 'rows'
    const all =
      `${this.#count} ${violations} in ${this.#refusedRows} of ${this.#rows} ` +
      `${rows}${this.#count > maxViolations ? `. The first ${maxViolations} violations are listed` : ''}.`
    throw new HttpProblem('invalid-body', { detail: `${all}${written} ${summaryOf(this.#found)}`, errors: this.#found })
  }
}

/** Media types that do not identify a format. */
const genericTypes: readonly string[] = [
  'application/octet-stream',
  'application/vnd.ms-excel',
  'text/plain',
  'application/csv',
  'application/json',
  '',
]
