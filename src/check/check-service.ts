/**
 * `checkService()` runs the checks against a running service. `removeLeftovers()` removes the
 * records that an interrupted run has left behind.
 */
import { invalidOption } from '../options/check.js'
import { attemptChecks } from './checks/attempts.js'
import { judgeAnswers } from './checks/every-answer.js'
import { listChecks } from './checks/index.js'
import { serviceChecks } from './checks/service-checks.js'
import { Client, type ClientOptions } from './client/client.js'
import { type CheckServiceOptions, defaults, defaultsOf, resolveCheckOptions } from './options.js'
import { type CheckReport, reportOf } from './report/report.js'
import { runListChecks, runServiceChecks } from './run.js'
import { selectionFault, wanted } from './selection.js'
import { Service } from './service.js'
import { isDocument, targetOf } from './target/document-target.js'
import type { Target } from './target/target.js'
import { isTargetFile, readTarget } from './target/target-file.js'
import type { Result } from './verdict.js'
import { cleanUp, type Leftover } from './write/cleanup.js'
import { allWriteChecks, disposableChecks, publicChecks } from './write/index.js'
import { Ledger } from './write/ledger.js'

/**
 * Checks whether a running service follows the conventions. Without the option `write`, only GET,
 * HEAD and OPTIONS requests are sent.
 *
 * @throws ConfigurationError `invalid-option` for invalid options
 * @example
 * const report = await checkService({
 *   base: 'http://127.0.0.1:3000/v1',
 *   target: document,
 *   principals: [{ name: 'reader', token }],
 * })
 * expect(report.results.filter(({ outcome }) => outcome.verdict === 'breaks')).toEqual([])
 */
export async function checkService(options: CheckServiceOptions): Promise<CheckReport> {
  const {
    base,
    target: given,
    principals = [],
    account,
    published,
    onResult,
    onExchange,
    production = false,
    disposable = false,
    ...rest
  } = resolveCheckOptions('checkService()', options)
  const fault = rest.only === undefined ? undefined : selectionFault(rest.only)
  if (fault !== undefined) throw invalidOption(`The option "only" of checkService() ${fault}`)
  const { rate, budget } = { ...defaultsOf(production), ...rest }
  const learned = resolveTarget(given)
  const target = published === undefined ? learned : { ...learned, published: published.replace(/\/+$/, '') }
  const ledger = rest.write === undefined ? undefined : new Ledger(rest.write, disposable)
  const client = new Client({
    principals,
    account,
    rate,
    budget,
    production,
    ...(ledger === undefined ? {} : { mayWrite: (method: string, url: string) => ledger.mayWrite(method, url) }),
    onExchange(exchange) {
      ledger?.note(exchange.request.method, exchange.request.url, exchange.answer.status)
      onExchange?.(exchange)
    },
    onUnanswered: ({ method, url }) => ledger?.note(method, url),
  })
  const results: Result[] = []
  const report = (result: Result): void => {
    results.push(result)
    onResult?.(result)
  }
  let cleanup: (() => Promise<readonly Leftover[]>) | undefined
  try {
    const service = new Service(base, target, client, disposable)
    if (ledger !== undefined)
      cleanup = () => cleanUpAlways(service, ledger, { principals, rate, production, isLimited: client.isLimited })
    const isWanted = wanted(rest.only)
    // Requests to the URL `direct` do not pass through the gateway. The links in the responses
    // still begin with the URL of the gateway.
    const directService =
      rest.direct === undefined
        ? undefined
        : new Service(rest.direct, { ...target, published: target.published ?? service.base }, client)
    await runServiceChecks(service, serviceChecks.filter(isWanted), report, directService)
    const checks = {
      safe: listChecks.filter(isWanted),
      writing: allWriteChecks.filter(isWanted),
      disposable: disposableChecks.filter(isWanted),
    }
    for (const collection of target.collections)
      await runListChecks(service, collection, checks, ledger, report, directService)
    const unlisted = { safe: [], writing: publicChecks.filter(isWanted), disposable: [] }
    for (const collection of target.unlisted ?? [])
      await runListChecks(service, collection, unlisted, ledger, report, directService)
    const cleanUpOnce = cleanup
    cleanup = undefined
    const left = (await cleanUpOnce?.()) ?? []
    // These checks log in with wrong passwords. They run last, because the service may then block
    // the IP address of this client.
    await runServiceChecks(service, attemptChecks.filter(isWanted), report)
    for (const result of judgeAnswers(client.exchanges)) if (isWanted({ id: result.check })) report(result)
    return reportOf(service.base, client.sent, results, left)
  } catch (error) {
    // If a hook throws, the run ends, but the records that the run created are still removed.
    await cleanup?.().catch(() => {})
    throw error
  } finally {
    ledger?.close()
    client.close()
  }
}

/**
 * Removes the records that the ledger lists. The cleanup has its own budget of requests, so that
 * records are removed even if the run has used up its budget. All other limits are the same as in
 * the run.
 */
async function cleanUpAlways(
  { base, target }: Service,
  ledger: Ledger,
  limits: Pick<ClientOptions, 'principals' | 'rate' | 'production' | 'isLimited'>,
): Promise<readonly Leftover[]> {
  const budget = 100 + 10 * ledger.left.length
  const client = new Client({ ...limits, budget, mayWrite: (method, url) => ledger.mayWrite(method, url) })
  try {
    return await cleanUp(new Service(base, target, client), ledger)
  } finally {
    client.close()
  }
}

/**
 * Removes the records that an earlier run has left behind. The ledger file of that run lists them.
 * Resolves to the records that could not be removed.
 *
 * @throws ConfigurationError `invalid-option` for invalid options
 * @example
 * await removeLeftovers({ base, target: document, principals, write: './check-ledger.jsonl' })
 */
export async function removeLeftovers(
  options: CheckServiceOptions & { readonly write: string },
): Promise<readonly Leftover[]> {
  const {
    base,
    target: given,
    principals = [],
    published,
    write,
    production = false,
    rate = defaultsOf(production).rate,
  } = resolveCheckOptions('removeLeftovers()', options)
  const learned = resolveTarget(given)
  const target = published === undefined ? learned : { ...learned, published: published.replace(/\/+$/, '') }
  const ledger = new Ledger(write as string)
  const client = new Client({ principals, ...defaults })
  try {
    return await cleanUpAlways(new Service(base, target, client), ledger, { principals, rate, production })
  } finally {
    client.close()
    ledger.close()
  }
}

/**
 * Returns the target: the facts about the service that the checks need. They are derived from an
 * OpenAPI document, or read from the content of a target file. Throws `ConfigurationError` if
 * `given` is neither, or is invalid.
 */
export function resolveTarget(given: unknown): Target {
  if (isDocument(given)) return targetOf(given)
  if (isTargetFile(given)) return readTarget(given)
  throw invalidOption(
    'The option "target" is neither an OpenAPI document of version 3.0 or 3.1, nor the content of a target file. A ' +
      'target file has a list "collections".',
  )
}
