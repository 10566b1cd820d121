/**
 * Writes SARIF 2.1.0 (OASIS), the format in which code scanning services accept findings. The
 * content comes from `sarif.ts` and from the linter.
 */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { firstOf } from '../../cut-text.js'

type Level = 'error' | 'warning' | 'note'

/** A message as plain text and, optionally, as Markdown (SARIF 3.12). */
interface Message {
  readonly text: string
  readonly markdown?: string
}

/**
 * A rule. Except for the linter's rule about references, each rule is a clause of the conventions.
 */
export interface SarifRule {
  readonly id: string
  /** The title of the rule, on one line and without Markdown. */
  readonly title: string
  /** The whole text of the rule, in Markdown. */
  readonly text: string
}

/** A position in a file of the repository, or the URL of a document. */
export interface SarifPlace {
  /** The URI of the file: relative to the root of the sources, or absolute. */
  readonly uri: string
  /** The line, from 1. Default: the first line. */
  readonly line?: number
  readonly column?: number
}

/** The state of a result in a baseline. */
export interface SarifStanding {
  readonly state: 'new' | 'unchanged'
  /** Why the result is accepted. Absent if the baseline does not accept it. */
  readonly accepted?: string
}

export interface SarifFinding {
  readonly ruleId: string
  readonly level: Level
  readonly message: Message
  readonly place: SarifPlace
  /**
   * The affected part of the service or of the document, such as `/v1/orders` or
   * `#/paths/~1orders/get`.
   */
  readonly part: string
  /** Strings that together identify the finding across runs. */
  readonly identity: readonly string[]
  readonly standing?: SarifStanding | undefined
  readonly exchange?: WebExchange
  /** Additional data about the finding. */
  readonly properties?: object
}

/** A request and its response (SARIF 3.46, 3.47). */
export interface WebExchange {
  readonly webRequest: {
    readonly protocol: string
    readonly version: string
    /** The path and the query (RFC 9112 3.2). */
    readonly target: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: { readonly text: string }
  }
  readonly webResponse: {
    readonly statusCode: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: { readonly text: string }
  }
}

export interface SarifRun {
  /** The command, such as `check`. */
  readonly command: string
  /**
   * What the run has checked, such as the URL of the service. This string distinguishes the run
   * from runs that check something else.
   */
  readonly subject: string
  readonly rules: readonly SarifRule[]
  /** The URL of a page with an anchor for each clause. Default: none. */
  readonly helpBase?: string | undefined
  readonly findings: readonly SarifFinding[]
  /** One message for each check that could not be performed. */
  readonly notes: readonly string[]
  readonly started: Date
  readonly ended: Date
  readonly exitCode: number
  readonly properties: object
}

const ownVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }).version

/** The maximum size of a message in characters. Viewers truncate longer messages. */
const longestMessage = 4_000

export const sarifText = (run: SarifRun): string => `${JSON.stringify(sarifLog(run), undefined, 2)}\n`

/** A log with one run. */
function sarifLog(run: SarifRun) {
  const { command, subject, rules, helpBase, findings, notes, started, ended, exitCode, properties } = run
  const uris = [...new Set(findings.map(({ place }) => place.uri))]
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0' as const,
    runs: [
      {
        tool: {
          driver: {
            name: `express-rest-conventions ${command}`,
            semanticVersion: ownVersion(),
            rules: rules.map((rule) => ruleOf(rule, helpBase)),
          },
        },
        automationDetails: { id: `express-rest-conventions-${command}/${subject}` },
        columnKind: 'utf16CodeUnits' as const,
        artifacts: uris.map((uri) => ({ location: locationOf(uri) })),
        invocations: [
          {
            executionSuccessful: true,
            startTimeUtc: started.toISOString(),
            endTimeUtc: ended.toISOString(),
            exitCode,
            toolExecutionNotifications: notes.map((text) => ({ level: 'note' as const, message: { text } })),
          },
        ],
        results: findings.map((finding) =>
          resultOf(
            finding,
            rules.findIndex(({ id }) => id === finding.ruleId),
            uris,
          ),
        ),
        properties,
      },
    ],
  }
}

const ruleOf = ({ id, title, text }: SarifRule, helpBase: string | undefined) => ({
  id,
  name: title
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(''),
  shortDescription: { text: `${id}: ${title}` },
  fullDescription: { text: plain(text) },
  help: { text: plain(text), markdown: text },
  ...(helpBase === undefined ? {} : { helpUri: `${helpBase}#${id}` }),
  defaultConfiguration: { level: 'error' as const },
  properties: { tags: ['rest-conventions'], precision: 'high', 'problem.severity': 'error' },
})

/** Removes backquotes, which are the only Markdown in the prose of this package. */
const plain = (text: string): string => text.replaceAll('`', '')

/** A relative URI refers to a file below the root of the sources. */
const locationOf = (uri: string) => (/^[a-z][a-z0-9+.-]*:/i.test(uri) ? { uri } : { uri, uriBaseId: '%SRCROOT%' })

function resultOf(finding: SarifFinding, ruleIndex: number, uris: readonly string[]) {
  const { ruleId, level, message, place, part, identity, standing, exchange, properties } = finding
  const { uri, line = 1, column } = place
  const hash = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32)
  return {
    ruleId,
    ruleIndex,
    kind: 'fail' as const,
    level,
    message: { ...message, text: firstOf(message.text, longestMessage) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { ...locationOf(uri), index: uris.indexOf(uri) },
          region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) },
        },
        logicalLocations: [{ fullyQualifiedName: part, kind: 'resource' }],
      },
    ],
    // GitHub reads only `primaryLocationLineHash`. Despite the name, the hash is made from
    // `identity` and not from the line: many findings have the same line, and would get the same
    // hash.
    partialFingerprints: { 'breakIdentity/v1': hash, primaryLocationLineHash: `${hash.slice(0, 16)}:1` },
    ...(standing === undefined
      ? {}
      : {
          baselineState: standing.state,
          suppressions:
            standing.accepted === undefined
              ? []
              : [{ kind: 'external' as const, status: 'accepted' as const, justification: standing.accepted }],
        }),
    ...exchange,
    ...(properties === undefined ? {} : { properties }),
  }
}
