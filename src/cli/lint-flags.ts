/** Reads the flags of `lint`. */
import { type BaselineCall, baselineCall, baselineFlags } from './baseline-file.js'
import { addressIn, listIn } from './check-flags.js'
import { parseFlags } from './flags.js'
import { UsageError } from './usage-error.js'

export const lintHelp = `express-rest-conventions lint <document> [flags]

Checks an OpenAPI 3.0 or 3.1 document against the conventions: methods, statuses, parameters, header
fields, and the names in paths. <document> is a file in JSON or YAML, or a URL. No request is sent,
except to fetch the document from its URL. The rules are those of the ruleset
express-rest-conventions/spectral.

  --only <ids>             rules or clauses, such as path-2-plural,QUERY-4
  --json                   prints the report as JSON
  --junit <file>           writes the report as JUnit XML
  --sarif <file>           writes the report as SARIF 2.1.0, for code scanning
  --clauses-url <url>      the address of a page with an anchor for each clause, for SARIF
  --baseline <file>        accepts the findings in this file until their dates; all others fail
  --write-baseline <file>  writes a baseline of the current findings. It keeps the entries of
                           --baseline, except those that are fixed or obsolete
  --until <day>            the last day on which the new entries of --write-baseline are accepted
  --help                   this text

Exit codes: 0, no findings except accepted ones; 1, findings; 2, the command could not run, for
example because the file is not OpenAPI.

  npx express-rest-conventions lint openapi.yaml
  npx express-rest-conventions lint https://api.example.com/v1/openapi --only PATH-2,PATH-3
`

const flags = {
  only: 'text',
  json: 'switch',
  junit: 'text',
  sarif: 'text',
  'clauses-url': 'text',
  ...baselineFlags,
  help: 'switch',
} as const

export interface LintCall extends BaselineCall {
  /** A file or a URL. */
  readonly source: string
  readonly only: readonly string[] | undefined
  readonly json: boolean
  readonly junit: string | undefined
  readonly sarif: string | undefined
  readonly clausesUrl: string | undefined
}

/** Reads the arguments. Returns `undefined` if the user asks for help. Throws `UsageError`. */
export function readLintCall(args: readonly string[]): LintCall | undefined {
  const { words, texts, switches } = parseFlags(args, flags)
  if (switches.has('help')) return undefined
  const [source, ...others] = words
  if (source === undefined)
    throw new UsageError('Which document? Give a file or an address, such as: lint openapi.yaml')
  if (others.length > 0)
    throw new UsageError(`One document at a time. Remove ${others.map((word) => `"${word}"`).join(' ')}.`)
  const only = texts.get('only')
  const clausesUrl = texts.get('clauses-url')
  return {
    source,
    only: only === undefined ? undefined : listIn(only),
    json: switches.has('json'),
    junit: texts.get('junit'),
    sarif: texts.get('sarif'),
    clausesUrl: clausesUrl === undefined ? undefined : addressIn('--clauses-url', clausesUrl),
    ...baselineCall(texts),
  }
}
