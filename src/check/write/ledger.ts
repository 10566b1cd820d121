/**
 * The ledger is a file that lists the records that the checks have created, or may have created.
 * The line of a record is flushed to the disk before the POST is sent, so that no record is missing
 * if the process is killed.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { isObject } from '../../definition/json.js'
import { isItemId, isItemOf } from '../item-id.js'

/** A record that a check is about to create. */
export interface Intent {
  /** The template of the collection. */
  readonly collection: string
  /** The URL to which the POST is sent. */
  readonly post: string
  readonly marker: string
  /** The `Idempotency-Key`, if the collection accepts one. */
  readonly key?: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface LedgerEntry extends Intent {
  readonly number: number
  /** The URL of the record. Absent while the URL is not known. */
  readonly address?: string
  /**
   * Other URLs that checks write to, each below the URL of the record: items of its
   * sub-collections, and its flags.
   */
  readonly below?: readonly string[]
  /** Whether the record no longer exists, or was never created. */
  readonly done: boolean
}

/** One line of the ledger file. */
type Line =
  | { readonly step: 'intent'; readonly number: number; readonly intent: Intent }
  | { readonly step: 'created'; readonly number: number; readonly address: string }
  | { readonly step: 'below'; readonly number: number; readonly address: string }
  | { readonly step: 'done'; readonly number: number }
  /**
   * A request that may affect records that the checks have not created. It is sent only to a
   * disposable service, and the cleanup can't undo it.
   */
  | { readonly step: 'hazard'; readonly number: 0; readonly method: string; readonly url: string }

export class Ledger {
  readonly #file: number
  readonly #entries = new Map<number, LedgerEntry>()

  readonly #hazards = new Set<string>()

  /**
   * The URLs of the records that this process has created or replaced, and has not tried to delete
   * afterwards. A refused DELETE does not count as an attempt.
   */
  readonly #written = new Set<string>()

  /**
   * Opens the ledger file, or creates it. `disposable` says whether the service may lose all its
   * data. Throws if a line of the file can't be read.
   */
  constructor(
    path: string,
    readonly disposable = false,
  ) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    // An incomplete last line is dropped: the process was killed while it was writing the line. No
    // record is missing, because a POST is sent only after its line is complete.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    for (const line of whole.split('\n')) if (line !== '') this.#take(lineOf(line))
    if (whole !== text) truncateSync(path, Buffer.byteLength(whole))
    this.#file = openSync(path, 'a')
  }

  /**
   * Enters a record that a check is about to create, and returns the number of the entry. Must be
   * called before the POST is sent.
   */
  intend(intent: Intent): number {
    const number = this.#entries.size + 1
    this.#write({ step: 'intent', number, intent })
    return number
  }

  /**
   * Enters the URL of a record that a check has created. Throws if this is not the URL of an item
   * of the collection.
   */
  created(number: number, address: string): void {
    const { post = '' } = this.#entries.get(number) ?? {}
    if (!isItemOf(address, post)) throw new Error(`${address} is not the address of an item of ${post}.`)
    this.#write({ step: 'created', number, address })
    this.#written.add(address)
  }

  /**
   * Notes the outcome of a request of this run, for `isCertain()`. `status` is absent if the
   * request got no response. After a DELETE that has removed the record, or may have removed it,
   * the service may give the id to a record of another client.
   */
  note(method: string, url: string, status?: number): void {
    const isRefused = status !== undefined && status >= 300 && status < 500
    if (method === 'DELETE' && !isRefused) this.#written.delete(url)
    const isDone = status !== undefined && status < 300
    if (method === 'PUT' && isDone && [...this.#entries.values()].some(({ address }) => address === url))
      this.#written.add(url)
  }

  /**
   * Whether the record at the URL is certainly one that the checks have created. False for the URLs
   * of an earlier run, and after a DELETE that was not refused.
   */
  isCertain(address: string): boolean {
    return this.#written.has(address)
  }

  /**
   * Allows unsafe requests to a URL below a record of the ledger. Must be called before the request
   * is sent. Throws if the URL is not below the record.
   */
  below(parent: string, address: string): void {
    const entry = [...this.#entries.values()].find((one) => one.address === parent)
    if (entry === undefined || !address.startsWith(`${parent}/`) || !isItemId(address.slice(parent.length + 1)))
      throw new Error(`${address} is not below a record of the ledger.`)
    this.#write({ step: 'below', number: entry.number, address })
  }

  done(number: number): void {
    this.#write({ step: 'done', number })
  }

  /**
   * Allows an unsafe request that may affect records that the checks have not created. Throws
   * unless the service is disposable.
   */
  allowHazard(method: string, url: string): void {
    if (!this.disposable) throw new Error(`${method} ${url} needs a disposable service.`)
    this.#write({ step: 'hazard', number: 0, method, url })
    this.#hazards.add(`${method} ${url}`)
  }

  /** Records that may still exist. */
  get left(): readonly LedgerEntry[] {
    return [...this.#entries.values()].filter(({ done }) => !done)
  }

  /**
   * Whether an unsafe request may be sent. The ledger allows requests to its records, and to the
   * URLs below them that were entered. It also allows POST to the URL in `post` of each open entry,
   * and the hazards that this run has entered. A hazard is a request that may affect records that
   * the checks have not created.
   */
  mayWrite(method: string, url: string): boolean {
    if (this.#hazards.has(`${method} ${url}`)) return true
    const entries = [...this.#entries.values()]
    if (entries.some(({ address, below }) => address === url || below?.includes(url))) return true
    return method === 'POST' && entries.some(({ post, done }) => post === url && !done)
  }

  close(): void {
    closeSync(this.#file)
  }

  #write(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`)
    fsyncSync(this.#file)
    this.#take(line)
  }

  #take(line: Line): void {
    // A hazard is allowed only in the run that wrote its line.
    if (line.step === 'hazard') return
    if (line.step === 'intent') this.#entries.set(line.number, { ...line.intent, number: line.number, done: false })
    const entry = this.#entries.get(line.number)
    if (entry === undefined)
      throw new Error(
        `The ledger has a line for record ${line.number}, but no earlier line that describes this record.`,
      )
    // Earlier versions of this library may have written the URL of a collection in place of the URL
    // of a record. Such a URL is ignored, so that the cleanup searches for the marker of the
    // record.
    if (line.step === 'created' && isItemOf(line.address, entry.post))
      this.#entries.set(line.number, { ...entry, address: line.address })
    if (line.step === 'below')
      this.#entries.set(line.number, { ...entry, below: [...(entry.below ?? []), line.address] })
    if (line.step === 'done') this.#entries.set(line.number, { ...entry, done: true })
  }
}

/**
 * The number of records in a ledger file that may still exist. Throws if the file can't be read.
 */
export function leftOf(path: string): number {
  const ledger = new Ledger(path)
  ledger.close()
  return ledger.left.length
}

function lineOf(text: string): Line {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (
    isObject(value) &&
    typeof value.number === 'number' &&
    ['intent', 'created', 'below', 'done', 'hazard'].includes(String(value.step))
  )
    return value as unknown as Line
  throw new Error(`This line of the ledger cannot be read: ${text.slice(0, 80)}`)
}
