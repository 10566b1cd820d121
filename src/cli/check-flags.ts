/** Reads and checks the flags of `check`. */
import { defaultsOf, productionConflict } from '../check/options.js'
import { selectionFault } from '../check/selection.js'
import { type BaselineCall, baselineCall, baselineFlags } from './baseline-file.js'
import { parseFlags } from './flags.js'
import { UsageError } from './usage-error.js'

const flags = {
  document: 'text',
  target: 'text',
  init: 'text',
  token: 'text',
  'token-command': 'text',
  header: 'text',
  published: 'text',
  direct: 'text',
  only: 'text',
  rate: 'text',
  budget: 'text',
  write: 'switch',
  production: 'switch',
  disposable: 'switch',
  ledger: 'text',
  cleanup: 'switch',
  'dry-run': 'switch',
  json: 'switch',
  junit: 'text',
  sarif: 'text',
  html: 'text',
  markdown: 'text',
  'clauses-url': 'text',
  scripts: 'text',
  ...baselineFlags,
  help: 'switch',
} as const

export interface CheckCall extends BaselineCall {
  /** The base URL, without a trailing slash. */
  readonly base: string
  readonly document: string | undefined
  readonly target: string | undefined
  readonly init: string | undefined
  readonly variables: readonly string[]
  readonly command: string | undefined
  readonly header: string | undefined
  readonly published: string | undefined
  /** The URL of the service itself, without the gateway in front of it. */
  readonly direct: string | undefined
  readonly only: readonly string[] | undefined
  readonly rate: number
  readonly budget: number
  /** Whether to run the checks that write. */
  readonly write: boolean
  /**
   * If true, the run sends no request that could lock accounts, exhaust limits or overload the
   * service.
   */
  readonly production: boolean
  /** Whether the run may destroy any data of the service. Implies `write`. */
  readonly disposable: boolean
  /** The file that lists the records that the run creates. */
  readonly ledger: string
  /** If true, the command only removes the records of an earlier run. */
  readonly cleanup: boolean
  readonly dryRun: boolean
  readonly json: boolean
  readonly junit: string | undefined
  readonly sarif: string | undefined
  readonly html: string | undefined
  /** A file, or `-` for the standard output. */
  readonly markdown: string | undefined
  /** The URL of a page with an anchor for each clause. */
  readonly clausesUrl: string | undefined
  readonly scripts: string | undefined
}

/**
 * Reads the arguments. Returns `undefined` if the user asks for help. Throws `UsageError` if an
 * argument is invalid.
 */
export function readCheckCall(args: readonly string[]): CheckCall | undefined {
  const { words, texts, switches } = parseFlags(args, flags)
  if (switches.has('help')) return undefined
  const [base, ...others] = words
  if (base === undefined)
    throw new UsageError('Which service? Give its address, such as: check https://api.example.com/v1')
  if (others.length > 0)
    throw new UsageError(`One service at a time. Remove ${others.map((word) => `"${word}"`).join(' ')}.`)
  const [document, target, published, direct] = ['document', 'target', 'published', 'direct'].map((name) =>
    texts.get(name),
  )
  if (document !== undefined && target !== undefined)
    throw new UsageError('--document and --target are both given. Give one of them.')
  const variables = listIn(texts.get('token'))
  const command = texts.get('token-command')
  if (target !== undefined && (variables.length > 0 || command !== undefined))
    throw new UsageError(
      '--token and --token-command cannot be used with --target. Name the principals in the target file instead.',
    )
  if (switches.has('json') && texts.get('markdown') === '-')
    throw new UsageError('--json and "--markdown -" both print to the standard output. Give --markdown a file.')
  const clausesUrl = texts.get('clauses-url')
  const [production, disposable] = [switches.has('production'), switches.has('disposable')]
  const writes = ['disposable', 'write'].find((name) => switches.has(name))
  if (writes !== undefined && switches.has('cleanup'))
    throw new UsageError(`--${writes} and --cleanup are both given. First run --cleanup alone.`)
  const usual = defaultsOf(production)
  const rate = numberIn('rate', texts.get('rate'), usual.rate)
  const budget = numberIn('budget', texts.get('budget'), usual.budget)
  const conflict = productionConflict({ production, disposable, rate, budget })
  if (conflict !== undefined) throw new UsageError(conflict.replace(/"([a-z]+)"/g, '--$1'))
  return {
    base: addressIn('<base url>', base),
    document,
    target,
    init: texts.get('init'),
    variables,
    command,
    header: texts.get('header'),
    published: published === undefined ? undefined : addressIn('--published', published),
    direct: direct === undefined ? undefined : addressIn('--direct', direct),
    only: idsIn(texts.get('only')),
    rate,
    budget,
    write: writes !== undefined,
    production,
    disposable,
    ledger: texts.get('ledger') ?? 'check-ledger.jsonl',
    cleanup: switches.has('cleanup'),
    dryRun: switches.has('dry-run'),
    json: switches.has('json'),
    junit: texts.get('junit'),
    sarif: texts.get('sarif'),
    html: texts.get('html'),
    markdown: texts.get('markdown'),
    clausesUrl: clausesUrl === undefined ? undefined : addressIn('--clauses-url', clausesUrl),
    scripts: texts.get('scripts'),
    ...baselineCall(texts),
  }
}

/** Whether a check is to be run. */
export const isWanted = ({ only }: CheckCall, id: string): boolean =>
  only === undefined || only.some((one) => id === one || id.startsWith(`${one}/`))

export const listIn = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/**
 * The URL without a trailing slash. Throws `UsageError` if the URL is not absolute, or has a query
 * or fragment.
 */
export function addressIn(what: string, text: string): string {
  if (/^https?:\/\/[^/?#\s]+(?:\/[^?#\s]*)?$/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new UsageError(
    `${what} is "${text}". Give an absolute address without a query, such as https://api.example.com/v1.`,
  )
}

/**
 * The clauses and checks that `--only` names. A misspelt clause is refused, because otherwise its
 * checks would be left out without notice.
 */
function idsIn(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined
  const ids = listIn(text)
  const fault = selectionFault(ids)
  if (fault !== undefined) throw new UsageError(`--only ${fault}`)
  return ids
}

function numberIn(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new UsageError(`--${name} is "${text}". Give a whole number from 1 to 9999999.`)
}
