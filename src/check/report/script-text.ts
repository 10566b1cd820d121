/**
 * Writes the text of a script that reproduces a violation. The requests are `curl` commands, which
 * can contain values from earlier responses.
 */

import { isObject } from '../../definition/json.js'
import { shellWord } from '../../docs/curl.js'
import { safeMethods } from '../../http/safe-methods.js'
import { header, parameter } from '../../wire.js'
import type { Caller, Exchange, Request } from '../client/exchange.js'
import type { Principal } from '../client/principals.js'
import type { Break, Trace } from '../verdict.js'
import { requestWords } from './curl.js'
import { type Step, stepsOf } from './script-plan.js'
import { items, looks, own, readers } from './script-shell.js'
import { comparedFields, conditionOf, markIn } from './script-sign.js'

/** The maximum number of attempts to reproduce a violation that does not occur each time. */
const tries = 20

type Principals = ReadonlyMap<string, Principal>

/** The values that differ between runs, with the shell variables that contain them. */
class Values {
  readonly #variables = new Map<string, string>()

  set(text: string | undefined, variable: string): void {
    if (text !== undefined && text !== '') this.#variables.set(text, variable)
  }

  /**
   * Writes a string as one word of a shell command. Variables replace the known values in the
   * string.
   */
  readonly word = (text: string): string => {
    const all = [...this.#variables].sort(([one], [other]) => other.length - one.length)
    const at = all.map(([value]) => text.indexOf(value))
    const first = at.reduce((best, here, n) => (here >= 0 && (best < 0 || here < (at[best] as number)) ? n : best), -1)
    const [value, variable] = all[first] ?? []
    if (value === undefined) return shellWord(text)
    const place = at[first] as number
    const [before, after] = [text.slice(0, place), text.slice(place + value.length)]
    return `${before === '' ? '' : shellWord(before)}"$${variable}"${after === '' ? '' : this.word(after)}`
  }
}

/**
 * The lines of a script after its head: the shell functions, and the commands that reproduce the
 * violation.
 */
export function commandsOf(found: Break, isFlaky: boolean, principals: Principals): readonly string[] {
  const steps = stepsOf(found)
  const values = new Values()
  const { trace } = found
  const post = trace === undefined ? undefined : steps.find(({ exchange }) => exchange.request.method === 'POST')
  if (post !== undefined) values.set(markIn(post.exchange.request.body), 'mark')
  const lines = steps.flatMap((step) => stepLines(step, steps, values, principals))
  const condition = conditionOf(found, steps, values.word)
  // In a race, or in a list whose sort order has ties, the violation may occur in some attempts
  // only.
  const runs = isFlaky || found.sign?.kind === 'winners' || found.sign?.kind === 'repeats' ? tries : 1
  const removes = post !== undefined && trace !== undefined
  return [
    readers,
    ...(found.sign?.kind === 'repeats' || removes ? [items] : []),
    ...(found.sign === undefined ? [looks(comparedFields)] : []),
    ...(removes ? [ownFunctions(post.exchange.request, trace, values, principals)] : ['clean_up() { :; }']),
    `trap 'clean_up; rm -rf "$dir"' EXIT`,
    `trap 'exit 2' INT TERM`,
    '',
    'attempt() {',
    ...[
      ...(removes ? ['begin "$1"'] : []),
      ...lines,
      '# The condition is true if the answers show the violation.',
      condition,
    ].map((line) => `  ${line}`),
    '}',
    '',
    'run=0',
    'shown=0',
    `while [ "$run" -lt ${runs} ] && [ "$shown" = 0 ]; do`,
    '  run=$((run + 1))',
    '  if attempt "$run"; then shown=1; fi',
    '  clean_up',
    'done',
  ]
}

function stepLines(step: Step, steps: readonly Step[], values: Values, principals: Principals): readonly string[] {
  const { number, exchange } = step
  const { race } = exchange
  const together = race === undefined ? [step] : steps.filter((one) => one.exchange.race === race)
  // One command sends all requests of a race. It is written when the first of these requests is
  // converted.
  if (together[0] !== step) return []
  const keys = together.flatMap((one) => keyLines(one, values))
  const commands = together.map(
    (one) => `${requestLine(one.exchange.request, String(one.number), one.bodyOf, values, principals)}`,
  )
  const parallel = together.length > 1 ? '-Z --parallel-immediate ' : ''
  const shown = step.evidenceIndex === undefined ? 'Preparation.' : 'Evidence of the violation.'
  return [
    `# ${together.length > 1 ? `${together.length} requests at the same time. ` : ''}${shown} The check got ` +
      `${together.map((one) => one.exchange.answer.status).join(', ')}.`,
    `prepare ${together.map((one) => one.number).join('; prepare ')}`,
    ...keys,
    `curl ${parallel}${commands.join(' --next ')} || cannot 'request ${number} got no answer'`,
    ...together.map((one) => `show ${one.number}`),
    ...together.flatMap((one) => afterLines(one, steps, values)),
  ]
}

/** The arguments of `curl` for a request. The response is stored under `name`. */
function requestLine(
  request: Request,
  name: string,
  bodyOf: number | undefined,
  { word }: Values,
  principals: Principals,
): string {
  const body = bodyOf === undefined ? undefined : `@"$dir/${bodyOf}.body"`
  const output = request.method === 'HEAD' ? '/dev/null' : `"$dir/${name}.body"`
  return ['-D', `"$dir/${name}.head"`, '-o', output, ...requestWords(request, principals, { word, body })].join(' ')
}

/**
 * The line that makes a new `Idempotency-Key` for each attempt. There is no line if the request has
 * no such key, or repeats the key of an earlier request.
 */
function keyLines({ number, exchange }: Step, values: Values): readonly string[] {
  const key = exchange.request.headers[header.idempotencyKey]
  if (key === undefined || values.word(key) !== shellWord(key)) return []
  values.set(key, `key_${number}`)
  return [`key_${number}=key-$mark-${number}`]
}

/**
 * The lines after a request. If the request is only a preparation and has failed, they end the
 * script. They also store values for later requests: the URL of a new record, and an entity tag.
 */
function afterLines(step: Step, steps: readonly Step[], values: Values): readonly string[] {
  const { number, exchange, evidenceIndex, created } = step
  const later = steps.filter((one) => one.number > number)
  const lines: string[] = []
  if (evidenceIndex === undefined)
    lines.push(`succeeded ${number} || cannot "request ${number} got $(status ${number})"`)
  if (exchange.request.method === 'POST') {
    const changes = later.some(({ exchange: { request } }) => !safeMethods.has(request.method))
    const needed =
      evidenceIndex === undefined || (changes && later.some((one) => one.exchange.request.method !== 'POST'))
    const collection = shellWord(exchange.request.url)
    if (created !== undefined || isCollection(exchange, steps)) {
      lines.push(`take ${number} ${collection} || ${needed ? "cannot 'there is no new record'" : ':'}`)
      lines.push(`at_${number}=$new_at`)
      values.set(created, `at_${number}`)
    }
  }
  const tag = /"[^"]*"/.exec(exchange.answer.field(header.etag) ?? '')?.[0]
  const isSent = later.some(({ exchange: { request } }) =>
    [header.ifMatch, header.ifNoneMatch].some((name) => tag !== undefined && request.headers[name]?.includes(tag)),
  )
  if (isSent) {
    lines.push(`tag_${number}=$(field ${number} etag | sed 's/^W\\///')`)
    lines.push(`[ -n "$tag_${number}" ] || cannot 'answer ${number} has no tag'`)
    values.set(tag, `tag_${number}`)
  }
  return lines
}

/**
 * Whether a POST was sent to a collection, and not to the URL of a record that the script has
 * created. A POST to a record creates nothing.
 */
const isCollection = ({ request }: Exchange, steps: readonly Step[]): boolean =>
  steps.every(({ created }) => created === undefined || created !== request.url)

/** The shell functions that find, verify and remove the records of the script. */
function ownFunctions(post: Request, { marker, key = [] }: Trace, values: Values, principals: Principals): string {
  // A record that was created without credentials is read and removed with the credentials of the
  // first principal, if there is one.
  const [first] = principals.keys()
  const caller: Caller =
    post.caller.kind === 'nobody' && first !== undefined ? { kind: 'principal', name: first } : post.caller
  const at = 'AT'
  const tag = '"TAG"'
  const within = new Values()
  within.set(at, 'at')
  within.set(tag, 'tag')
  within.set(markIn(post.body), 'mark')
  const line = (method: string, name: string, headers: Readonly<Record<string, string>>, url: string): string =>
    `curl ${requestLine({ method, url, headers, caller }, name, undefined, within, principals)}`
  const body: unknown = JSON.parse(post.body ?? '{}')
  const scalars = Object.entries(isObject(body) ? body : {}).filter(([, value]) => typeof value !== 'object')
  const texts = scalars.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`.replace(/\s+/g, ''))
  const isSent = (marker === undefined ? texts.map(values.word) : ['"$mark"']).map(
    (text) => `tr -d ' \\t\\r\\n' <"$dir/own.body" | grep -qF -- ${text}`,
  )
  const [id] = key
  const canFind = marker !== undefined && key.length === 1 && id !== undefined
  const query = `${encodeURIComponent(marker ?? '')}=${markIn(post.body) ?? ''}00&${parameter.size}=1`
  const find = canFind
    ? `prepare list; ${line('GET', 'list', {}, `${post.url}?${query}`)} && items list | head -n 1 ` +
      `>"$dir/first.body" && id=$(items first | sed -n 's/^"${id}":"\\{0,1\\}\\([^"]*\\)"\\{0,1\\}$/\\1/p')`
    : 'false'
  return own({
    get: line('GET', 'own', {}, at),
    remove: `${line('DELETE', 'gone', { [header.ifMatch]: tag }, at)} || :`,
    isSent: isSent.length === 0 ? 'false' : isSent.join(' && '),
    find,
  })
}
