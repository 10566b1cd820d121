/** Reads and checks the flags of `mock`. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isObject, type JsonObject } from '../definition/json.js'
import type { MockDelay, MockFailure } from '../mock/faults.js'
import type { MockOptions } from '../mock/mock-service.js'
import { usualPrincipal, type Visitors } from '../mock/visitors.js'
import { type Given, parseFlags } from './flags.js'
import { messageOf, UsageError } from './usage-error.js'

const mockFlags = {
  port: 'text',
  host: 'text',
  seed: 'text',
  records: 'text',
  data: 'text',
  auth: 'text',
  principal: 'text',
  delay: 'text',
  fail: 'text',
  help: 'switch',
} as const

/** The settings of a mock. */
export interface MockCall {
  readonly module: string
  readonly port: number
  readonly host: string
  readonly options: Omit<MockOptions, 'note'>
}

/**
 * Reads the arguments. Returns `undefined` for `--help`. Throws `UsageError` if an argument is
 * invalid.
 */
export function readMockCall(args: readonly string[], cwd: string): MockCall | undefined {
  const given = parseFlags(args, mockFlags)
  if (given.switches.has('help')) return undefined
  const [module, ...others] = given.words
  if (module === undefined)
    throw new UsageError('Which module? Give the file that exports your api(), such as: mock ./api.js')
  if (others.length > 0)
    throw new UsageError(`One module at a time. Remove ${others.map((word) => `"${word}"`).join(' ')}.`)
  const delay = given.texts.get('delay')
  const fail = given.texts.get('fail')
  return {
    module,
    port: wholeNumber(given, 'port', 3000, 0, 65_535),
    host: given.texts.get('host') ?? '127.0.0.1',
    options: {
      seed: wholeNumber(given, 'seed', 1, 0, 2 ** 32 - 1),
      records: wholeNumber(given, 'records', 25, 1, 1_000_000),
      data: dataIn(given.texts.get('data'), cwd),
      visitors: visitorsOf(given),
      ...(delay === undefined ? {} : { delay: delayOf(delay) }),
      ...(fail === undefined ? {} : { failures: failuresOf(fail) }),
    },
  }
}

function wholeNumber({ texts }: Given, flag: string, otherwise: number, min: number, max: number): number {
  const text = texts.get(flag)
  if (text === undefined) return otherwise
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new UsageError(`--${flag} is "${text}". Give a whole number from ${min} to ${max}.`)
}

/** The maximum delay, in milliseconds. During a longer delay, clients would time out. */
const longestDelay = 600_000

function delayOf(text: string): MockDelay {
  const [, from, to] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text) ?? []
  const min = Number(from)
  const max = to === undefined ? min : Number(to)
  if (from !== undefined && min <= max && max <= longestDelay) return { min, max }
  throw new UsageError(`--delay is "${text}". Give milliseconds, such as 200 or 100-800, up to ${longestDelay}.`)
}

function failuresOf(text: string): readonly MockFailure[] {
  const form = 'Give percentages of the requests, each with a status (default 503), such as 5% or 5%:500,10%:429.'
  const failures = text.split(',').map((part) => {
    const [, share, status = '503'] = /^\s*(\d{1,3}(?:\.\d+)?)%(?::([45]\d\d))?\s*$/.exec(part) ?? []
    if (share === undefined) throw new UsageError(`--fail is "${text}". ${form}`)
    return { share: Number(share) / 100, status: Number(status) }
  })
  if (failures.reduce((sum, { share }) => sum + share, 0) > 1.000001)
    throw new UsageError(`--fail is "${text}", which adds up to more than 100%. ${form}`)
  return failures
}

function dataIn(file: string | undefined, cwd: string): MockOptions['data'] {
  if (file === undefined) return {}
  let value: unknown
  try {
    value = JSON.parse(readFileSync(resolve(cwd, file), 'utf8'))
  } catch (error) {
    throw new UsageError(`--data ${file} cannot be read: ${messageOf(error)}`)
  }
  if (isObject(value)) return value as Record<string, readonly JsonObject[]>
  throw new UsageError(`--data ${file} is not an object. Give records by collection: { "orders": [{ ... }] }.`)
}

function visitorsOf({ texts }: Given): Visitors {
  const auth = texts.get('auth') ?? 'off'
  if (auth !== 'off' && auth !== 'keep')
    throw new UsageError(
      `--auth is "${auth}". Allowed are "off", and "keep", which keeps the authentication of the service.`,
    )
  const principal = texts.get('principal')
  return {
    auth,
    principal: principal === undefined ? usualPrincipal : principalOf(principal),
    isNamed: principal !== undefined,
  }
}

function principalOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && value !== false) return value
  } catch {
    // Text that is not JSON causes the same error as JSON that is not a principal.
  }
  throw new UsageError(
    `--principal is ${text}, which is not a principal in JSON. Give one such as ` +
      `'{"sub":"ana","tenant":"north"}', or '"ana"'.`,
  )
}
