/** The options of `probes()`, and their defaults. */
import { ConfigurationError } from '../problem.js'

/** What `probes()` takes. Times are in milliseconds. */
export interface ProbesOptions {
  /**
   * Whether the service can do its work, such as one query on a connection of its own. It fails where it
   * throws, rejects, or takes longer than `timeout`; then `signal` fires. Default: no check.
   */
  readonly check?: (signal: AbortSignal) => unknown
  /** Time for which a result of `check` holds, whoever asks. Default 1,000. */
  readonly maxAge?: number
  /** Time that `check` may take; at least 1. Default 2,000. */
  readonly timeout?: number
  /** Path of liveness. Default `/live`. */
  readonly livePath?: string
  /** Path of readiness. Default `/ready`. */
  readonly readyPath?: string
  /**
   * The server whose drain makes readiness 503. Default: the server of `createServer()` that took the
   * request. Needed where probes have a server of their own.
   */
  readonly server?: { readonly draining: boolean }
  /** Where `type` of a problem leads, as in `api`. */
  readonly problemBase?: string
  /** Called with the error of each check that failed. Default: `console.error`. */
  readonly onFailure?: (error: unknown) => void
}

type Defaults = Required<Pick<ProbesOptions, 'maxAge' | 'timeout' | 'livePath' | 'readyPath' | 'onFailure'>>

const defaults: Defaults = {
  maxAge: 1_000,
  timeout: 2_000,
  livePath: '/live',
  readyPath: '/ready',
  onFailure: (error) => console.error('The readiness check failed:', error),
}

const kinds: Readonly<Record<keyof ProbesOptions, 'function' | 'number' | 'object' | 'string'>> = {
  check: 'function',
  maxAge: 'number',
  timeout: 'number',
  livePath: 'string',
  readyPath: 'string',
  server: 'object',
  problemBase: 'string',
  onFailure: 'function',
}

/** A timer of Node's takes no longer time. */
const longest = 2 ** 31 - 1

/** The options with their defaults. Throws `ConfigurationError`. */
export function resolveProbesOptions(given: ProbesOptions): ProbesOptions & Defaults {
  if (typeof given !== 'object' || given === null) throw invalid('The options of probes() must be an object.')
  for (const [name, value] of Object.entries(given)) checkOption(name, value)
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ProbesOptions
  const options = { ...defaults, ...set }
  checkTime('maxAge', options.maxAge, 0)
  checkTime('timeout', options.timeout, 1)
  for (const name of ['livePath', 'readyPath'] as const) {
    if (!/^\/[^?#]*$/.test(options[name])) {
      throw invalid(`${name} of probes() is ${JSON.stringify(options[name])}. Give a path such as ${JSON.stringify(defaults[name])}.`)
    }
  }
  if (options.livePath === options.readyPath) throw invalid(`livePath and readyPath of probes() are both "${options.livePath}".`)
  return options
}

function checkOption(name: string, value: unknown): void {
  const kind = kinds[name as keyof ProbesOptions]
  if (kind === undefined) throw invalid(`probes() has no option "${name}". Options: ${Object.keys(kinds).join(', ')}.`)
  if (value === undefined || (typeof value === kind && value !== null)) return
  throw invalid(`${name} of probes() is ${value === null ? 'null' : `of type ${typeof value}`}. Give a value of type ${kind}.`)
}

function checkTime(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= longest) return
  throw invalid(`${name} of probes() is ${value}. Give a whole number, ${least} to ${longest}.`)
}

const invalid = (message: string): ConfigurationError => new ConfigurationError('invalid-option', message)
