/**
 * The ledger: what the check has created, or may have. Each line is flushed to the disk before the
 * request that it tells of, so that nothing is forgotten when the process is killed.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { isObject } from '../../definition/json.js'

/** What was about to be created. */
export interface Intent {
  /** The template of the collection. */
  readonly collection: string
  /** The address that is posted to. */
  readonly post: string
  readonly marker: string
  /** The `Idempotency-Key`, where the collection takes one. */
  readonly key?: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface LedgerEntry extends Intent {
  readonly number: number
  /** Where it is; absent while that is not known. */
  readonly address?: string
  /** Addresses below it that are written to: members of its sub-collections, and flags. */
  readonly below?: readonly string[]
  /** Nothing of it is left. */
  readonly done: boolean
}

/** One line of the file. */
type Line =
  | { readonly step: 'intent'; readonly number: number; readonly intent: Intent }
  | { readonly step: 'created'; readonly number: number; readonly address: string }
  | { readonly step: 'below'; readonly number: number; readonly address: string }
  | { readonly step: 'done'; readonly number: number }
  /** A request to what belongs to others, which only a disposable service gets. Nothing can be cleaned up after it. */
  | { readonly step: 'hazard'; readonly number: 0; readonly method: string; readonly url: string }

export class Ledger {
  readonly #file: number
  readonly #entries = new Map<number, LedgerEntry>()

  readonly #hazards = new Set<string>()

  /** Opens a file, or begins one. `disposable`: whether the whole service may be lost. Throws if a line can't be read. */
  constructor(
    path: string,
    readonly disposable = false,
  ) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    // A process that was killed while it wrote a line had not sent the request of the line.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    for (const line of whole.split('\n')) if (line !== '') this.#take(lineOf(line))
    if (whole !== text) truncateSync(path, Buffer.byteLength(whole))
    this.#file = openSync(path, 'a')
  }

  /** Must be called before the request. */
  intend(intent: Intent): number {
    const number = this.#entries.size + 1
    this.#write({ step: 'intent', number, intent })
    return number
  }

  created(number: number, address: string): void {
    this.#write({ step: 'created', number, address })
  }

  /**
   * Allows unsafe requests to an address below that of an own record. Must be called before the
   * request. Throws if the address is not below it.
   */
  below(parent: string, address: string): void {
    const entry = [...this.#entries.values()].find((one) => one.address === parent)
    if (
      entry === undefined ||
      !address.startsWith(`${parent}/`) ||
      /(?:^|\/)\.\.?(?:\/|$)|[?#]/.test(address.slice(parent.length))
    )
      throw new Error(`${address} is not below a record of the ledger.`)
    this.#write({ step: 'below', number: entry.number, address })
  }

  done(number: number): void {
    this.#write({ step: 'done', number })
  }

  /** Allows an unsafe request to what belongs to others. Throws unless the service is disposable. */
  hazard(method: string, url: string): void {
    if (!this.disposable) throw new Error(`${method} ${url} needs a disposable service.`)
    this.#write({ step: 'hazard', number: 0, method, url })
    this.#hazards.add(`${method} ${url}`)
  }

  /** What may be left. */
  get left(): readonly LedgerEntry[] {
    return [...this.#entries.values()].filter(({ done }) => !done)
  }

  /** Whether an unsafe request may be sent: to what was created here, and POST where it was announced. */
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
    // A hazard of an earlier run allows nothing now.
    if (line.step === 'hazard') return
    if (line.step === 'intent') this.#entries.set(line.number, { ...line.intent, number: line.number, done: false })
    const entry = this.#entries.get(line.number)
    if (entry === undefined) throw new Error(`The ledger tells of ${line.number}, which it has not announced.`)
    if (line.step === 'created') this.#entries.set(line.number, { ...entry, address: line.address })
    if (line.step === 'below')
      this.#entries.set(line.number, { ...entry, below: [...(entry.below ?? []), line.address] })
    if (line.step === 'done') this.#entries.set(line.number, { ...entry, done: true })
  }
}

/** How many entries of a ledger file may be left. Throws where it can't be read. */
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
  throw new Error(`This line of the ledger can not be read: ${text.slice(0, 80)}`)
}
