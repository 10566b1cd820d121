/**
 * `check <base url>`: checks whether a running service follows the conventions, clause by clause.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkService, removeLeftovers } from '../check/check-service.js'
import { attemptChecks } from '../check/checks/attempts.js'
import { listChecks } from '../check/checks/index.js'
import { serviceChecks } from '../check/checks/service-checks.js'
import type { Account, Principal } from '../check/client/principals.js'
import type { CheckReport } from '../check/report/report.js'
import { targetOf } from '../check/target/document-target.js'
import type { CollectionTarget } from '../check/target/target.js'
import type { TargetFile } from '../check/target/target-file.js'
import type { Leftover } from '../check/write/cleanup.js'
import { allWriteChecks, disposableChecks, publicChecks } from '../check/write/index.js'
import { leftOf } from '../check/write/ledger.js'
import { knownBreaks } from './baseline-file.js'
import { type CheckCall, isWanted, readCheckCall } from './check-flags.js'
import { checkHelp } from './check-help.js'
import { checkOutputs, writeReports } from './check-reports.js'
import { accountOf, documentOf, type Parsed, principalsOf, sourcesOf, targetIn } from './check-sources.js'
import { writeReport } from './report-files.js'
import type { Terminal } from './terminal.js'
import { messageOf, UsageError } from './usage-error.js'

/** Runs the command. Resolves to its exit code. */
export async function checkCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const call = readCheckCall(args)
  if (call === undefined) {
    terminal.out(checkHelp)
    return 0
  }
  const source: Parsed =
    call.target === undefined ? await documentOf(call, terminal.cwd) : targetIn(call.target, terminal.cwd)
  const target: TargetFile =
    call.target === undefined
      ? { ...targetOf(source.value), principals: sourcesOf(call) }
      : (source.value as TargetFile)
  if (target.collections.length === 0 && target.unlisted === undefined)
    throw new UsageError('The document or target file has no collection with GET, so there is nothing to check.')
  if (call.init !== undefined) {
    writeReport(terminal, call.init, `${JSON.stringify(target, undefined, 2)}\n`)
    terminal.error(`Wrote ${call.init}. Complete it, and give it with --target.\n`)
    return 0
  }
  if (call.cleanup) return cleanedUp(call, target, terminal)
  if (call.dryRun) {
    terminal.out(planOf(call, target))
    return 0
  }
  // The baseline is read first, so that a mistake in it is found before the run.
  const known = knownBreaks(call, terminal)
  checkOutputs(call, terminal)
  const { principals: sources = [], account: names, ...learned } = target
  const principals = await principalsOf(sources)
  const account = names === undefined ? undefined : accountOf(names)
  if (call.write && leftIn(resolve(terminal.cwd, call.ledger)) > 0)
    throw new UsageError(`${call.ledger} lists records that an earlier run has left. Remove them with --cleanup.`)
  const started = terminal.now()
  const report = await checked(call, learned, principals, account, terminal)
  printLeft(report.left, terminal)
  return writeReports(call, { report, principals, account, source, known, started }, terminal)
}

function checked(
  call: CheckCall,
  target: object,
  principals: readonly Principal[],
  account: Account | undefined,
  terminal: Terminal,
): Promise<CheckReport> {
  const { base, rate, budget, only, published, write: writes, ledger, production, disposable, direct } = call
  let place = ''
  return checkService({
    base,
    target,
    principals,
    ...(account === undefined ? {} : { account }),
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

/** Removes the records that an earlier run has left. Resolves to the exit code. */
async function cleanedUp(call: CheckCall, target: TargetFile, terminal: Terminal): Promise<number> {
  const { base, published, ledger, production, rate } = call
  const { principals: sources = [], account: _, ...learned } = target
  const principals = await principalsOf(sources)
  const path = resolve(terminal.cwd, ledger)
  const count = leftIn(path)
  const left = await removeLeftovers({
    base,
    target: learned,
    principals,
    write: path,
    production,
    rate,
    ...(published === undefined ? {} : { published }),
  })
  terminal.out(`${count - left.length} of ${count} removed.\n`)
  printLeft(left, terminal)
  return left.length === 0 ? 0 : 1
}

/** The number of ledger entries whose records may still exist. */
function leftIn(path: string): number {
  if (!existsSync(path)) return 0
  try {
    return leftOf(path)
  } catch (error) {
    throw new UsageError(`${path}: ${messageOf(error)}`)
  }
}

function printLeft(left: readonly Leftover[], terminal: Terminal): void {
  for (const { entry, because } of left)
    terminal.error(`left: ${entry.address ?? `the record posted to ${entry.post} with ${entry.marker}`}: ${because}\n`)
}

/** Describes what a run would do, without sending a request to the service. */
function planOf(call: CheckCall, { collections: listed, unlisted = [], principals = [] }: TargetFile): string {
  const { base, rate, budget, write: writes, production, disposable } = call
  const collections = [...listed, ...unlisted]
  const checks = [
    ...serviceChecks,
    ...listChecks,
    ...(writes ? allWriteChecks : []),
    ...(writes && unlisted.length > 0 ? publicChecks : []),
    ...(disposable ? [...disposableChecks, ...attemptChecks] : []),
  ].filter(({ id }) => isWanted(call, id))
  const how = disposable
    ? 'all methods, even on records that the run has not created'
    : writes
      ? 'GET, HEAD, OPTIONS, and writes to records that the run has created'
      : 'GET, HEAD and OPTIONS'
  const note = ({ create }: CollectionTarget): string =>
    writes ? (create === undefined ? '  (no writes)' : '  (with writes)') : ''
  const lines = [
    `${base}: ${checks.length} checks of ${collections.length} collections, with ${how}.`,
    `At most ${budget} requests, at most ${rate} a second.`,
    ...(production
      ? ['--production: no altered tokens, no wrong passwords, no races, no large bodies, and no request after a 429.']
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
