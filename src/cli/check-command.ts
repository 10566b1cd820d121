/** `check <base url>`: holds a live service against the conventions, clause by clause. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { checkService, removeLeftovers } from '../check/check-service.js'
import { listChecks } from '../check/checks/index.js'
import { serviceChecks } from '../check/checks/service-checks.js'
import type { Principal } from '../check/client/principals.js'
import { baselineOf, compareBaseline, type KnownBreak, readBaseline } from '../check/report/baseline.js'
import { jsonOf } from '../check/report/json.js'
import { junitOf } from '../check/report/junit.js'
import type { CheckReport } from '../check/report/report.js'
import { scriptsOf } from '../check/report/scripts.js'
import { textOf } from '../check/report/text.js'
import { targetOf } from '../check/target/document-target.js'
import type { CollectionTarget } from '../check/target/target.js'
import type { TargetFile } from '../check/target/target-file.js'
import type { Leftover } from '../check/write/cleanup.js'
import { allWriteChecks, disposableChecks } from '../check/write/index.js'
import { leftOf } from '../check/write/ledger.js'
import { type CheckCall, readCheckCall } from './check-flags.js'
import { checkHelp } from './check-help.js'
import { documentOf, principalsOf, sourcesOf, targetIn, valueIn } from './check-sources.js'
import type { Terminal } from './terminal.js'
import { messageOf, UsageError } from './usage-error.js'

/** Runs the command. Resolves to its exit code. */
export async function checkCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const call = readCheckCall(args)
  if (call === undefined) {
    terminal.out(checkHelp)
    return 0
  }
  const target: TargetFile =
    call.target === undefined
      ? { ...targetOf(await documentOf(call, terminal.cwd)), principals: sourcesOf(call) }
      : targetIn(call.target, terminal.cwd)
  if (target.collections.length === 0)
    throw new UsageError('The document has no collection with GET: there is nothing to check.')
  if (call.init !== undefined) {
    write(terminal, call.init, `${JSON.stringify(target, undefined, 2)}\n`)
    terminal.error(`Wrote ${call.init}. Fill in what it lacks, and give it with --target.\n`)
    return 0
  }
  if (call.cleanup) return cleanedUp(call, target, terminal)
  if (call.dryRun) {
    terminal.out(planOf(call, target))
    return 0
  }
  // Before the first request, so that a slip does not cost a run.
  const known = knownIn(call, terminal)
  const { principals: sources = [], ...learned } = target
  const principals = await principalsOf(sources)
  if (call.write && leftIn(resolve(terminal.cwd, call.ledger)) > 0)
    throw new UsageError(`${call.ledger} tells of records that an earlier run has left. Remove them with --cleanup.`)
  const report = await checked(call, learned, principals, terminal)
  return told(call, report, principals, known, terminal)
}

function checked(
  call: CheckCall,
  target: object,
  principals: readonly Principal[],
  terminal: Terminal,
): Promise<CheckReport> {
  const { base, rate, budget, only, published, write: writes, ledger, production, disposable, direct } = call
  let place = ''
  return checkService({
    base,
    target,
    principals,
    rate,
    budget,
    production,
    disposable,
    ...(writes ? { write: resolve(terminal.cwd, ledger) } : {}),
    ...(only === undefined ? {} : { only }),
    ...(published === undefined ? {} : { published }),
    ...(direct === undefined ? {} : { direct }),
    onResult({ where }) {
      if (where === place) return
      place = where
      terminal.error(`checking ${where}\n`)
    },
  })
}

/** Removes what is left. Resolves to the exit code. */
async function cleanedUp(call: CheckCall, target: TargetFile, terminal: Terminal): Promise<number> {
  const { base, published, ledger, production } = call
  const { principals: sources = [], ...learned } = target
  const principals = await principalsOf(sources)
  const path = resolve(terminal.cwd, ledger)
  const count = leftIn(path)
  const left = await removeLeftovers({
    base,
    target: learned,
    principals,
    write: path,
    production,
    ...(published === undefined ? {} : { published }),
  })
  terminal.out(`${count - left.length} of ${count} removed.\n`)
  tellLeft(left, terminal)
  return left.length === 0 ? 0 : 1
}

/** Entries of a ledger whose records may still be there. */
function leftIn(path: string): number {
  if (!existsSync(path)) return 0
  try {
    return leftOf(path)
  } catch (error) {
    throw new UsageError(`${path}: ${messageOf(error)}`)
  }
}

function tellLeft(left: readonly Leftover[], terminal: Terminal): void {
  for (const { entry, because } of left)
    terminal.error(`left: ${entry.address ?? `what was posted to ${entry.post} with ${entry.marker}`}: ${because}\n`)
}

/** Writes the reports, and decides the exit code. */
function told(
  call: CheckCall,
  report: CheckReport,
  principals: readonly Principal[],
  known: readonly KnownBreak[],
  terminal: Terminal,
): number {
  const { results, counts } = report
  terminal.out(call.json ? jsonOf(report, principals) : textOf(report))
  if (call.junit !== undefined) write(terminal, call.junit, junitOf(report))
  if (call.scripts !== undefined)
    for (const { name, text } of scriptsOf(results, principals)) write(terminal, join(call.scripts, name), text, 0o755)
  if (call.writeBaseline !== undefined)
    write(terminal, call.writeBaseline, `${JSON.stringify(baselineOf(results), undefined, 2)}\n`)
  tellLeft(report.left, terminal)
  const { failing, accepted, fixed } = compareBaseline(results, known, terminal.now().toISOString().slice(0, 10))
  for (const { check, where } of fixed) terminal.error(`${check} at ${where} holds: remove it from ${call.baseline}.\n`)
  if (accepted.length > 0) terminal.error(`${accepted.length} breaks are in ${call.baseline}.\n`)
  if (failing.length > 0) return 1
  if (counts.holds + counts.breaks + counts.flaky > 0) return 0
  terminal.error('Nothing could be checked.\n')
  return 2
}

function knownIn({ baseline }: CheckCall, terminal: Terminal): readonly KnownBreak[] {
  if (baseline === undefined) return []
  const known = readBaseline(valueIn(baseline, terminal.cwd))
  if (known !== undefined) return known
  throw new UsageError(
    `${baseline} is no baseline. It is a list such as [{ "check": "QUERY-7/total", "where": "/orders", "until": "2026-12-31" }].`,
  )
}

/** What would be checked, without asking the service. */
function planOf(
  { base, rate, budget, only, write: writes, production, disposable }: CheckCall,
  { collections, principals = [] }: TargetFile,
): string {
  const isWanted = (id: string): boolean =>
    only === undefined || only.some((one) => id === one || id.startsWith(`${one}/`))
  const checks = [
    ...serviceChecks,
    ...listChecks,
    ...(writes ? allWriteChecks : []),
    ...(disposable ? disposableChecks : []),
  ].filter(({ id }) => isWanted(id))
  const how = disposable
    ? 'all methods, also on records of others'
    : writes
      ? 'POST, PUT, PATCH and DELETE of own records, too'
      : 'GET, HEAD and OPTIONS alone'
  const note = ({ create }: CollectionTarget): string =>
    writes ? (create === undefined ? '  (is not written)' : '  (is written)') : ''
  const lines = [
    `${base}: ${checks.length} checks of ${collections.length} collections, by ${how}.`,
    `At most ${budget} requests, at most ${rate} a second.`,
    ...(production
      ? ['--production: no altered tokens, no passwords, no races, no large bodies, and nothing after a 429.']
      : []),
    `Callers: ${principals.length === 0 ? 'nobody' : principals.map(({ name }) => name).join(', ')}.`,
    '',
    'Collections:',
    ...collections.map((collection) => `  ${collection.template}${note(collection)}`),
    '',
    'Checks:',
    ...checks.map(({ id, rule }) => `  ${id.padEnd(28)} ${rule}`),
  ]
  return `${lines.join('\n')}\n`
}

function write(terminal: Terminal, file: string, text: string, mode = 0o644): void {
  const path = resolve(terminal.cwd, file)
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
  } catch (error) {
    throw new UsageError(`${file} can not be written: ${messageOf(error)}`)
  }
}
