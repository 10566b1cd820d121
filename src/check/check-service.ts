/** `checkService`: holds a live service against the conventions. */
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { judgeAnswers } from './checks/every-answer.js'
import { listChecks } from './checks/index.js'
import { serviceChecks } from './checks/service-checks.js'
import { Client } from './client/client.js'
import type { Exchange } from './client/exchange.js'
import type { Principal } from './client/principals.js'
import { type CheckReport, reportOf } from './report/report.js'
import { runListChecks, runServiceChecks } from './run.js'
import { Service } from './service.js'
import { isDocument, targetOf } from './target/document-target.js'
import type { Target } from './target/target.js'
import { isTargetFile, readTarget } from './target/target-file.js'
import type { Result } from './verdict.js'
import { cleanUp, type Leftover } from './write/cleanup.js'
import { allWriteChecks } from './write/index.js'
import { Ledger } from './write/ledger.js'

/** What is to be checked, and how. */
export interface CheckServiceOptions {
  /** The address before the paths of the document, such as `http://127.0.0.1:3000/v1`. */
  readonly base: string
  /** An OpenAPI 3.0 or 3.1 document, or what a target file holds. */
  readonly target: unknown
  /** Who calls. The first one must be able to read everything that is to be checked. Default: nobody. */
  readonly principals?: readonly Principal[]
  /** Requests per second. Default 50. */
  readonly rate?: number
  /** Requests in all: what is left then could not be checked. Default 3,000. */
  readonly budget?: number
  /**
   * Runs checks that write, too: they create, change and remove records of their own, and nothing
   * else. The value is the path of the ledger file, which tells what they create. Default: none.
   */
  readonly write?: string
  /** Ids of clauses or checks, such as `QUERY-7` or `QUERY-7/total`. Default: all. */
  readonly only?: readonly string[]
  /** The address that links begin with, where the service does not answer with `base`. Default: the server of the document. */
  readonly published?: string
  /** Called with each result as it comes. */
  readonly onResult?: (result: Result) => void
  /** Called with each exchange as it comes. */
  readonly onExchange?: (exchange: Exchange) => void
}

export const defaults = { rate: 50, budget: 3_000 } as const

const kinds: Kinds<CheckServiceOptions> = {
  base: { required: { a: 'an absolute address such as "http://127.0.0.1:3000/v1"', like: /^https?:\/\/[^/?#]+(?:\/[^?#]*)?$/ } },
  target: { required: 'table' },
  principals: 'list',
  rate: { from: 0, above: true },
  budget: { from: 1, whole: true },
  write: 'string',
  only: { each: 'string' },
  published: { a: 'an absolute address', like: /^https?:\/\/[^/?#]+(?:\/[^?#]*)?$/ },
  onResult: 'function',
  onExchange: 'function',
}

/**
 * Holds a service against the conventions. Without `write` only GET, HEAD and OPTIONS are sent.
 *
 * @throws ConfigurationError `invalid-option` for options that make no sense
 * @example
 * const report = await checkService({ base: 'http://127.0.0.1:3000/v1', target: document, principals: [{ name: 'reader', token }] })
 * expect(report.results.filter(({ outcome }) => outcome.verdict === 'breaks')).toEqual([])
 */
export async function checkService(options: CheckServiceOptions): Promise<CheckReport> {
  const {
    base,
    target: given,
    principals = [],
    published,
    onResult,
    onExchange,
    ...rest
  } = checkOptions<CheckServiceOptions>('checkService()', options, kinds)
  const { rate, budget } = { ...defaults, ...rest }
  const learned = resolveTarget(given)
  const target = published === undefined ? learned : { ...learned, published: published.replace(/\/+$/, '') }
  const exchanges: Exchange[] = []
  const ledger = rest.write === undefined ? undefined : new Ledger(rest.write)
  const client = new Client({
    principals,
    rate,
    budget,
    ...(ledger === undefined ? {} : { mayWrite: (method: string, url: string) => ledger.mayWrite(method, url) }),
    onExchange(exchange) {
      exchanges.push(exchange)
      onExchange?.(exchange)
    },
  })
  const results: Result[] = []
  const tell = (result: Result): void => {
    results.push(result)
    onResult?.(result)
  }
  try {
    const service = new Service(base.replace(/\/+$/, ''), target, client)
    const isWanted = wanted(rest.only)
    await runServiceChecks(service, serviceChecks.filter(isWanted), tell)
    const checks = { safe: listChecks.filter(isWanted), writing: allWriteChecks.filter(isWanted) }
    for (const collection of target.collections) await runListChecks(service, collection, checks, ledger, tell)
    for (const result of judgeAnswers(exchanges)) if (isWanted({ id: result.check })) tell(result)
    const left = ledger === undefined ? [] : await cleanUpAlways(service, ledger, principals)
    return reportOf(service.base, client.sent, results, left)
  } finally {
    ledger?.close()
    client.close()
  }
}

/** Removes what was created with a budget of its own: a spent one must leave nothing behind. */
async function cleanUpAlways({ base, target }: Service, ledger: Ledger, principals: readonly Principal[]): Promise<readonly Leftover[]> {
  const budget = 100 + 10 * ledger.left.length
  const client = new Client({ principals, rate: defaults.rate * 2, budget, mayWrite: (method, url) => ledger.mayWrite(method, url) })
  try {
    return await cleanUp(new Service(base, target, client), ledger)
  } finally {
    client.close()
  }
}

/**
 * Removes what an earlier run has left behind, by its ledger file. Resolves to what could not be
 * removed.
 *
 * @throws ConfigurationError `invalid-option` for options that make no sense
 * @example await removeLeftovers({ base, target: document, principals, write: './check-ledger.jsonl' })
 */
export async function removeLeftovers(options: CheckServiceOptions & { readonly write: string }): Promise<readonly Leftover[]> {
  const { base, target: given, principals = [], published, write } = checkOptions<CheckServiceOptions>('removeLeftovers()', options, kinds)
  const learned = resolveTarget(given)
  const target = published === undefined ? learned : { ...learned, published: published.replace(/\/+$/, '') }
  const ledger = new Ledger(write as string)
  const client = new Client({ principals, ...defaults })
  try {
    return await cleanUpAlways(new Service(base.replace(/\/+$/, ''), target, client), ledger, principals)
  } finally {
    client.close()
    ledger.close()
  }
}

/** A target as it is, or that of a document. Throws `ConfigurationError`. */
export function resolveTarget(given: unknown): Target {
  if (isDocument(given)) return targetOf(given)
  if (isTargetFile(given)) return readTarget(given)
  throw invalidOption('The target is neither an OpenAPI document of version 3.0 or 3.1, nor a target with "collections".')
}

const wanted =
  (only: readonly string[] | undefined) =>
  ({ id }: { readonly id: string }): boolean =>
    only === undefined || only.some((one) => id === one || id.startsWith(`${one}/`))
