/** Writes the reports of `check`, and determines its exit code. */
import { join } from 'node:path'
import { attemptChecks } from '../check/checks/attempts.js'
import { judgeAnswers } from '../check/checks/every-answer.js'
import { listChecks } from '../check/checks/index.js'
import { serviceChecks } from '../check/checks/service-checks.js'
import type { Account, Principal } from '../check/client/principals.js'
import type { EntryState, KnownBreak } from '../check/report/baseline.js'
import { htmlOf } from '../check/report/html.js'
import { jsonOf } from '../check/report/json.js'
import { junitOf } from '../check/report/junit.js'
import { markdownOf } from '../check/report/markdown.js'
import { brokenIn, type CheckReport } from '../check/report/report.js'
import type { RunReport } from '../check/report/run-report.js'
import { sarifOf } from '../check/report/sarif.js'
import type { SarifPlace } from '../check/report/sarif-log.js'
import { scriptsOf } from '../check/report/scripts.js'
import { withoutSecrets } from '../check/report/secrets.js'
import { standingsOf } from '../check/report/standing.js'
import { textOf } from '../check/report/text.js'
import { positionsOf } from '../check/target/positions.js'
import { isTargetFile } from '../check/target/target-file.js'
import { allWriteChecks, disposableChecks, publicChecks } from '../check/write/index.js'
import { own } from '../definition/json.js'
import { comparedWith } from './baseline-file.js'
import { type CheckCall, isWanted } from './check-flags.js'
import type { Parsed } from './check-sources.js'
import { isAddress, uriOf } from './document-source.js'
import { checkReportFiles, writeReport } from './report-files.js'
import type { Terminal } from './terminal.js'

/**
 * Checks the names of the report files before the run. Throws `UsageError` for a folder, and for a
 * file that two flags name.
 */
export function checkOutputs({ sarif, html, markdown, junit, writeBaseline }: CheckCall, terminal: Terminal): void {
  checkReportFiles(terminal, {
    sarif,
    html,
    markdown: markdown === '-' ? undefined : markdown,
    junit,
    'write-baseline': writeBaseline,
  })
}

/** A finished run, with the data for its reports. */
export interface Finished {
  readonly report: CheckReport
  readonly principals: readonly Principal[]
  readonly account: Account | undefined
  readonly source: Parsed
  readonly known: readonly KnownBreak[]
  readonly started: Date
}

/** Writes every requested report. Returns the exit code. */
export function writeReports(call: CheckCall, finished: Finished, terminal: Terminal): number {
  const { principals, account, source, known, started } = finished
  const report = withoutSecrets(finished.report, principals, account)
  const { results, counts } = report
  const comparison = comparedWith(call, brokenIn(results), known, (entry) => entryState(call, report, entry), terminal)
  const failing = comparison.fresh.length + comparison.overdue.length
  const isChecked = counts.holds + counts.breaks + counts.flaky > 0
  const exitCode = failing > 0 ? 1 : isChecked ? 0 : 2
  const run: RunReport = {
    report,
    principals,
    started,
    ended: terminal.now(),
    exitCode,
    ...(call.baseline === undefined ? {} : { standingOf: standingsOf(comparison) }),
    placeOf: placesIn(source, terminal.cwd),
    helpBase: call.clausesUrl,
  }
  writeAll(call, run, source, terminal)
  if (!isChecked) terminal.error('Nothing could be checked.\n')
  return exitCode
}

function writeAll(call: CheckCall, run: RunReport, source: Parsed, terminal: Terminal): void {
  const { report, principals, standingOf } = run
  const { json, junit, sarif, html, markdown, scripts } = call
  terminal.out(json ? jsonOf(report, principals) : markdown === '-' ? markdownOf(run) : textOf(report, standingOf))
  if (junit !== undefined)
    writeReport(
      terminal,
      junit,
      junitOf(report, (result) => standingOf?.(result)?.state === 'accepted'),
    )
  if (sarif !== undefined) {
    writeReport(terminal, sarif, sarifOf(run))
    if (isAddress(source.name))
      terminal.error(
        `${sarif} refers to lines of ${source.name}, but code scanning accepts only files of the repository: give ` +
          'the document as a file with --document.\n',
      )
  }
  if (html !== undefined) writeReport(terminal, html, htmlOf(run))
  if (markdown !== undefined && markdown !== '-') writeReport(terminal, markdown, markdownOf(run))
  if (scripts !== undefined)
    for (const { name, text } of scriptsOf(report.results, principals))
      writeReport(terminal, join(scripts, name), text, 0o755)
}

/** The state of a baseline entry that matches no violation. */
function entryState(call: CheckCall, { results }: CheckReport, { check, where }: KnownBreak): EntryState {
  const result = results.find((one) => one.check === check && one.where === where)
  if (result !== undefined) return result.outcome.verdict === 'holds' ? 'fixed' : 'undecided'
  const isIn = (checks: readonly { readonly id: string }[]): boolean => checks.some(({ id }) => id === check)
  const isWrite = isIn([...allWriteChecks, ...publicChecks])
  const isDisposable = isIn([...disposableChecks, ...attemptChecks])
  const isKnown =
    isWrite ||
    isDisposable ||
    isIn([...serviceChecks, ...listChecks]) ||
    judgeAnswers([]).some((one) => one.check === check)
  const isLeftOut = !isWanted(call, check) || (isWrite && !call.write) || (isDisposable && !call.disposable)
  return isKnown && isLeftOut ? 'left-out' : 'absent'
}

/** Returns a function that finds a collection's line in the document or in the target file. */
function placesIn({ name, text, value }: Parsed, cwd: string): (where: string) => SarifPlace {
  const uri = uriOf(name, cwd)
  const position = positionsOf(text)
  const collections = isTargetFile(value) ? (own(value, 'collections') as readonly unknown[]) : undefined
  return (where) => {
    if (collections !== undefined) {
      const at = collections.findIndex((one) => own(one, 'template') === where)
      return { uri, ...(at === -1 ? {} : position(['collections', at, 'template'])) }
    }
    const paths = own(value, 'paths')
    // A template never has a trailing slash, but its path in the document may have one.
    const path = [where, `${where}/`].find((one) => own(paths, one) !== undefined)
    return { uri, ...(path === undefined ? {} : position(['paths', path])) }
  }
}
