/** Writes the findings of the linter as text, JSON, JUnit XML and SARIF. */
import { type ClauseId, clauses } from '../../clauses.js'
import type { TestCase } from '../report/junit-xml.js'
import { junitXml } from '../report/junit-xml.js'
import { type SarifRule, sarifText } from '../report/sarif-log.js'
import { type BaselineState, sarifStanding, standingText } from '../report/standing.js'
import type { Position } from '../target/positions.js'
import { type LintFinding, type LintRule, referenceRule } from './lint.js'

export interface LintReport {
  /** The file name or the URL of the document, as the user gave it. */
  readonly name: string
  /** The URI of the document: relative to the root of the sources, or absolute. */
  readonly uri: string
  /** The rules that were run. */
  readonly rules: readonly LintRule[]
  readonly operations: number
  readonly findings: readonly LintFinding[]
  readonly positionOf: (finding: LintFinding) => Position | undefined
  /**
   * Returns the state of a finding in the baseline, which is the list of known findings. The
   * function is absent if there is no baseline.
   */
  readonly standingOf?: (finding: LintFinding) => BaselineState | undefined
  readonly started: Date
  readonly ended: Date
  readonly exitCode: number
  readonly helpBase?: string | undefined
}

/** Writes a line for each finding, in the format of compiler errors, and a summary. */
export function lintText(report: LintReport): string {
  const { name, findings, rules, operations, standingOf } = report
  const lines = findings.map((finding) => {
    const standing = standingOf?.(finding)
    const note = standing === undefined ? '' : `  (${standingText(standing)})`
    return `${placeOf(report, finding)}  error  ${finding.check}  ${finding.message}${note}`.replace(
      /\p{Cc}/gu,
      '\ufffd',
    )
  })
  return `${[
    ...lines,
    ...(lines.length > 0 ? [''] : []),
    `${name}: ${counted(findings.length, 'finding')}. ` +
      `${counted(rules.length, 'rule')}, ` +
      `${counted(operations, 'operation')}.`,
  ].join('\n')}\n`
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The position of a finding, such as `openapi.yaml:12:3`. */
function placeOf({ name, positionOf }: LintReport, finding: LintFinding): string {
  const position = positionOf(finding)
  return position === undefined ? `${name}${finding.where}` : `${name}:${position.line}:${position.column}`
}

export function lintJson(report: LintReport): string {
  const { name, rules, operations, findings, positionOf, standingOf, exitCode } = report
  const shown = findings.map((finding) => {
    const { check: rule, clause, message, where: pointer } = finding
    const standing = standingOf?.(finding)
    return {
      rule,
      clause,
      message,
      pointer,
      ...positionOf(finding),
      ...(standing === undefined ? {} : { baseline: standing.state }),
    }
  })
  const document = { document: name, rules: rules.length, operations, findings: shown, ok: exitCode === 0 }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

/** Writes a test case for each finding, and a test case for each rule without findings. */
export function lintJunit(report: LintReport): string {
  const { name, rules, findings, standingOf } = report
  const cases = rules.flatMap(({ name: rule, description }): readonly TestCase[] => {
    const own = findings.filter(({ check }) => check === rule)
    if (own.length === 0) return [{ name: description, group: rule }]
    return own.map((finding): TestCase => {
      const { message, where } = finding
      const common = { name: where, group: rule }
      return standingOf?.(finding)?.state === 'accepted'
        ? { ...common, skipped: `accepted by the baseline: ${message}` }
        : { ...common, failure: { message, text: `${placeOf(report, finding)}\n${description}` } }
    })
  })
  return junitXml(name, cases)
}

export function lintSarif(report: LintReport): string {
  const { name, uri, rules, operations, findings, positionOf, standingOf, started, ended, exitCode, helpBase } = report
  return sarifText({
    command: 'lint',
    subject: uri,
    rules: sarifRules(rules),
    helpBase,
    findings: findings.map((finding) => {
      const { check, clause, message, where } = finding
      const standing = standingOf?.(finding)
      return {
        ruleId: clause ?? check,
        level: 'error',
        message: { text: message },
        place: { uri, ...positionOf(finding) },
        part: where,
        identity: [check, where, message],
        ...(standing === undefined ? {} : { standing: sarifStanding(standing) }),
        properties: { rule: check },
      }
    }),
    notes: [],
    started,
    ended,
    exitCode,
    properties: { document: name, rules: rules.length, operations },
  })
}

/**
 * Returns a SARIF rule for each clause, and one for the rule about references. The findings of all
 * lint rules of a clause have the id of the clause.
 */
function sarifRules(rules: readonly LintRule[]): readonly SarifRule[] {
  const ids = [...new Set(rules.flatMap(({ clause }) => clause ?? []))]
  const own = rules.includes(referenceRule)
    ? [{ id: referenceRule.name, title: 'References', text: referenceRule.description }]
    : []
  return [...own, ...ids.map((id: ClauseId) => ({ id, title: clauses[id].title, text: clauses[id].text }))]
}
