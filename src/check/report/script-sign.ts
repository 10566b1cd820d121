/** Writes the condition by which a script decides whether the responses show the violation. */
import type { Exchange } from '../client/exchange.js'
import type { Sign } from '../sign.js'
import type { Break } from '../verdict.js'
import { cksum } from './cksum.js'
import { createdBy, type Step } from './script-plan.js'

/**
 * The header fields that a script compares if the violation has no `sign`. The script compares
 * these fields, the status and the body of its responses with those that the check received. Parts
 * that differ between runs, such as ids, are not compared.
 */
export const comparedFields = [
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'allow',
  'cache-control',
  'content-type',
  'deprecation',
  'etag',
  'link',
  'location',
  'sunset',
  'vary',
  'www-authenticate',
  'x-total-count',
] as const

/**
 * A shell condition that is true if the responses show the violation. `word` writes a string as one
 * word of a shell command.
 */
export function conditionOf(found: Break, steps: readonly Step[], word: (text: string) => string): string {
  const shown = steps.filter(({ evidenceIndex }) => evidenceIndex !== undefined)
  const { sign } = found
  if (sign === undefined) return shown.map((step) => alike(step, found)).join(' &&\n    ')
  const numberOf = (place: number): number =>
    shown.find(({ evidenceIndex: shows }) => shows === place)?.number as number
  const test = signTest(sign, numberOf, shown, word)
  if (sign.kind === 'status' || sign.kind === 'winners') return test
  const same = shown.map(({ number, exchange }) => `[ "$(status ${number})" = ${exchange.answer.status} ]`)
  return [...same, test].join(' && ')
}

function signTest(
  sign: Sign,
  numberOf: (place: number) => number,
  shown: readonly Step[],
  word: (text: string) => string,
): string {
  if (sign.kind === 'winners') {
    const numbers = shown.map(({ number }) => number).join(' ')
    const busy = `for n in ${numbers}; do case $(status "$n") in 429 | 5??) cannot 'the service is busy' ;; esac; done`
    return (
      `${busy}; winners=$(for n in ${numbers}; do if succeeded "$n"; then echo; fi; done | wc -l) && [ ` +
      '"$winners" -ne 1 ]'
    )
  }
  if (sign.kind === 'status')
    return `case $(status ${numberOf(sign.answer)}) in ${sign.expected.join(' | ')}) false ;; *) true ;; esac`
  if (sign.kind === 'no-field') return `! has_field ${numberOf(sign.answer)} ${sign.name.toLowerCase()}`
  if (sign.kind === 'body') return `[ -s "$dir/${numberOf(sign.answer)}.body" ]`
  if (sign.kind === 'lacks' || sign.kind === 'shows') {
    const not = sign.kind === 'lacks' ? '! ' : ''
    const text = word(sign.text.replace(/\s+/g, ''))
    return `${not}tr -d ' \\t\\r\\n' <"$dir/${numberOf(sign.answer)}.body" | grep -qF -- ${text}`
  }
  const [one, other] = [numberOf(sign.answers[0]), numberOf(sign.answers[1])]
  if (sign.kind === 'repeats')
    return one === other
      ? `items ${one} | sort | uniq -d | grep -q .`
      : `{ items ${one} | sort -u; items ${other} | sort -u; } | sort | uniq -d | grep -q .`
  const [value, second] = [one, other].map((number) => `"$(field ${number} ${sign.name.toLowerCase()})"`)
  return sign.kind === 'equal' ? `[ -n ${value} ] && [ ${value} = ${second} ]` : `[ ${value} != ${second} ]`
}

const alike = ({ number, exchange }: Step, found: Break): string => {
  const text = looksOf(exchange, found)
  return `[ "$(looks ${number} ${found.trace === undefined ? 'plain' : 'own'})" = '${text.replaceAll("'", "'\\''")}' ]`
}

/** The string that the shell function `looks` prints for a response. */
function looksOf({ answer }: Exchange, { trace }: Break): string {
  const fields = comparedFields.flatMap((name) => {
    const value = answer.field(name)
    if (value === undefined) return []
    if (name === 'etag') return [`etag=${value.replace(/"[^"]*"/g, '"*"')}`]
    return [trace === undefined ? `${name}=${value.replace(/[^\P{Cc}]/gu, ' ')}` : name]
  })
  const isMasked = trace !== undefined || answer.status >= 400
  const body = isMasked ? masked(answer.body, trace?.exchanges ?? []) : answer.body
  return [answer.status, ...fields, `body=${cksum(body)}`].join(' ')
}

/**
 * A body without white space, in which fixed words replace the substrings that differ between
 * records or between runs, such as ids and times.
 */
function masked(body: string, exchanges: readonly Exchange[]): string {
  const post = exchanges.find((one) => createdBy(one) !== undefined)
  const mark = markIn(post?.request.body)
  const id = post === undefined ? undefined : createdBy(post)?.replace(/.*\//, '')
  return [
    [mark, 'MARK'],
    [id, 'ID'],
  ]
    .reduce((text, [old, next]) => (old === undefined ? text : text.replaceAll(old, next as string)), body)
    .replace(/\d+-\d\d-\d\dT[\d:.]*/g, 'TIME')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
    .replace(/[\da-f]{16,}/g, 'HEX')
    .replace(/[ \t\r\n]/g, '')
}

/**
 * The marker in a body, without the number at its end. `undefined` if there is none. A marker is a
 * random string that identifies a record of a check.
 */
export const markIn = (body: string | undefined): string | undefined => /check-[\da-f]{14}/.exec(body ?? '')?.[0]
