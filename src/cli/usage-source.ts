/** Reads the usage counts for the command `report`, from the service's module or its usage page. */
import { basename } from 'node:path'
import { isContainer } from '../definition/json.js'
import type { UsageReport } from '../report/report.js'
import type { Usage } from '../usage/usage.js'
import { loadModule } from './service-module.js'
import { messageOf, UsageError } from './usage-error.js'

/** The `Usage` object that a module exports. Throws `UsageError` if it exports none. */
export async function usageOfModule(file: string): Promise<Usage> {
  const exports = await loadModule(file)
  const candidates = [exports.usage, exports.default, ...Object.values(exports)]
  // For a CommonJS module, `import()` puts the exports into `default`.
  if (isContainer(exports.default)) candidates.push(...Object.values(exports.default))
  const found = candidates.find(isUsage)
  if (found !== undefined) return found
  const names = Object.keys(exports)
  throw new UsageError(
    `${basename(file)} exports no usage: one of its exports must be the result of usage(). ` +
      `It exports ${names.length === 0 ? 'nothing' : names.join(', ')}.`,
  )
}

const isUsage = (value: unknown): value is Usage =>
  isContainer(value) &&
  typeof (value as Partial<Usage>).read === 'function' &&
  typeof (value as Partial<Usage>).close === 'function' &&
  typeof (value as Partial<Usage>).countCall === 'function'

const timeout = 30_000

/** Fetches the report of a `usagePage()`. Throws `UsageError` for any other response. */
export async function reportAt(
  address: string,
  authorization = process.env.REPORT_AUTHORIZATION,
): Promise<UsageReport> {
  const headers = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) }
  let response: Response
  try {
    response = await fetch(address, { headers, redirect: 'error', signal: AbortSignal.timeout(timeout) })
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    throw new UsageError(`${address} cannot be fetched: ${messageOf(cause ?? error)}`)
  }
  if (response.status === 401)
    throw new UsageError(`${address} needs credentials. Give them in REPORT_AUTHORIZATION, such as "Bearer <token>".`)
  if (response.status !== 200) throw new UsageError(`${address} responded with ${response.status}.`)
  const report: unknown = await response.json().catch(() => undefined)
  if (!isReport(report))
    throw new UsageError(`${address} did not respond with a report. Give the URL of a usagePage().`)
  return report
}

const isReport = (value: unknown): value is UsageReport =>
  isContainer(value) &&
  Array.isArray((value as Partial<UsageReport>).clauses) &&
  Array.isArray((value as Partial<UsageReport>).versions)
