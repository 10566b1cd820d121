/**
 * `lint <document>`: checks an OpenAPI document against the conventions. The service need not be
 * running.
 */
import { basename, dirname, join } from 'node:path'
import {
  documentFault,
  type LintFinding,
  type LintRule,
  lintDocument,
  lintRules,
  operationCount,
} from '../check/lint/lint.js'
import { type LintReport, lintJson, lintJunit, lintSarif, lintText } from '../check/lint/reports.js'
import type { EntryState, KnownBreak } from '../check/report/baseline.js'
import { standingsOf } from '../check/report/standing.js'
import { positionsOf } from '../check/target/positions.js'
import { bundled } from '../contract/bundle.js'
import { DocumentError } from '../contract/nodes.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { comparedWith, knownBreaks } from './baseline-file.js'
import { fetchText, isAddress, readText, type SourceText, uriOf } from './document-source.js'
import { formatName, parseDocument } from './document-text.js'
import { type LintCall, lintHelp, readLintCall } from './lint-flags.js'
import { checkReportFiles, writeReport } from './report-files.js'
import type { Terminal } from './terminal.js'
import { UsageError } from './usage-error.js'

/** Runs the command. Resolves to its exit code. */
export async function lintCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const call = readLintCall(args)
  if (call === undefined) {
    terminal.out(lintHelp)
    return 0
  }
  const { sarif, junit, writeBaseline, source } = call
  const known = knownBreaks(call, terminal)
  checkReportFiles(terminal, { sarif, junit, 'write-baseline': writeBaseline })
  const started = terminal.now()
  const text = isAddress(source) ? await fetchText(source) : readText(source, terminal.cwd)
  const document = documentIn({ name: source, text }, terminal.cwd)
  const isWanted = wantedBy(call)
  const position = positionsOf(text)
  const findings = inOrder(lintDocument(document, isWanted), ({ path }) => position(path))
  const comparison = comparedWith(call, findings, known, (entry) => entryState(entry, isWanted), terminal)
  const report: LintReport = {
    name: source,
    uri: uriOf(source, terminal.cwd),
    rules: lintRules.filter(isWanted),
    operations: operationCount(document),
    findings,
    positionOf: ({ path }) => position(path),
    ...(call.baseline === undefined ? {} : { standingOf: standingsOf<LintFinding>(comparison) }),
    started,
    ended: terminal.now(),
    exitCode: comparison.fresh.length + comparison.overdue.length > 0 ? 1 : 0,
    helpBase: call.clausesUrl,
  }
  terminal.out(call.json ? lintJson(report) : lintText(report))
  if (junit !== undefined) writeReport(terminal, junit, lintJunit(report))
  if (sarif !== undefined) writeReport(terminal, sarif, lintSarif(report))
  return report.exitCode
}

/** Sorts the findings by line and column. */
function inOrder(findings: readonly LintFinding[], positionOf: LintReport['positionOf']): readonly LintFinding[] {
  const placed = findings.map((finding) => ({ finding, at: positionOf(finding) ?? { line: 0, column: 0 } }))
  return placed
    .toSorted(({ at: one }, { at: other }) => one.line - other.line || one.column - other.column)
    .map(({ finding }) => finding)
}

/**
 * The document, including the parts that are in other files. Throws `UsageError` if the text is not
 * a valid document.
 */
function documentIn({ name, text }: SourceText, cwd: string): unknown {
  const value = parseDocument(text, formatName(name, text))
  const fault = documentFault(value)
  if (fault !== undefined) throw new UsageError(`${name} ${fault}`)
  const other = (path: string): unknown => {
    if (isAddress(name))
      throw new UsageError(
        `${name} refers to ${path}. References to other files are followed only from a local file: ` +
          'download both files.',
      )
    const file = join(dirname(name), path)
    try {
      return parseDocument(readText(file, cwd), file)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      throw new UsageError(`${name} refers to ${path}: ${error.message}`)
    }
  }
  try {
    return bundled(value, basename(isAddress(name) ? new URL(name).pathname : name), other)
  } catch (error) {
    if (error instanceof DocumentError) throw new UsageError(`${name}: ${error.message}`)
    // If a YAML alias makes a value contain itself, the recursion ends with a `RangeError`.
    if (error instanceof RangeError)
      throw new UsageError(`${name} is nested too deeply, or a YAML alias makes a value contain itself.`)
    throw error
  }
}

/**
 * Returns a function that tests whether a rule is wanted. `--only` names the wanted clauses and
 * rules.
 */
function wantedBy({ only }: LintCall): (rule: LintRule) => boolean {
  if (only === undefined) return () => true
  if (only.length === 0) throw new UsageError('--only needs a rule or a clause, such as --only path-2-plural,QUERY-4')
  const names = lintRules.flatMap(({ name, clause }) => [name, ...(clause === undefined ? [] : [clause])])
  const stranger = only.find((name) => !names.includes(name))
  if (stranger !== undefined)
    throw new UsageError(
      `--only names "${stranger}", which is neither a rule nor a clause with rules. ` +
        `${didYouMean(nearMiss(stranger, names), names)}`,
    )
  return ({ name, clause }) => only.includes(name) || (clause !== undefined && only.includes(clause))
}

function entryState({ check }: KnownBreak, isWanted: (rule: LintRule) => boolean): EntryState {
  const rule = lintRules.find(({ name }) => name === check)
  if (rule === undefined) return 'absent'
  return isWanted(rule) ? 'fixed' : 'left-out'
}
