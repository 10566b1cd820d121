/**
 * Rules whose violation can be proved by a single response. Each rule belongs to a clause of the
 * conventions. Rules that need more knowledge, such as the contents of the store, are not included,
 * because false findings would make the whole report useless.
 */
import { Caches } from '../cache.js'
import { negotiator } from '../http/accept.js'
import { parseTagList } from '../http/entity-tags.js'
import { parseMediaType } from '../http/media-type.js'
import { mediaType, parameter } from '../wire.js'
import type { ObservedAnswer } from './answer.js'

/**
 * A clause that a response violates. `detail` names the violation, and never contains the value of
 * a member, a parameter or a header field.
 */
export interface Finding {
  readonly clause: string
  readonly detail: string
}

/**
 * The input of the rules: a response that `observe()` watched, or that the command `check`
 * received.
 */
export type JudgedAnswer = Pick<ObservedAnswer, keyof ObservedAnswer>

interface Rule {
  readonly clause: string
  /**
   * True if the rule applies to any response. Other rules are about resources, and apply only if
   * the request has a route.
   */
  readonly anywhere?: true
  /**
   * Returns a short name of the violation, such as `relative Location`; `undefined` if the clause
   * is not violated.
   */
  judge(answer: JudgedAnswer): string | undefined
}

const named = (name: string, isBroken: boolean): string | undefined => (isBroken ? name : undefined)

const isAbsolute = (url: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(url)

/** The statuses that the conventions allow (ERR-1). */
const statuses = new Set([
  200, 201, 202, 204, 302, 304, 400, 401, 403, 404, 405, 408, 410, 412, 413, 414, 415, 422, 428, 429, 431, 500, 503,
])

const writeRules: readonly Rule[] = [
  {
    clause: 'VERB-2',
    judge: ({ method, status, field }) =>
      named('Location', method === 'POST' && (status === 201 || status === 202) && field('location') === undefined),
  },
  {
    clause: 'VERB-2',
    judge: ({ method, status, field }) => {
      const location = field('location')
      return named(
        'relative Location',
        method === 'POST' && (status === 201 || status === 202) && location !== undefined && !isAbsolute(location),
      )
    },
  },
  { clause: 'VERB-3', judge: ({ method, status }) => named('201', method === 'PUT' && status === 201) },
  {
    clause: 'VERB-6',
    judge: ({ method, isSuccess, hasBody }) => named('body', method === 'DELETE' && isSuccess && hasBody),
  },
  {
    clause: 'VERB-7',
    judge: ({ method, isSuccess, template, isItem, isKnownCollection }) =>
      named('DELETE', method === 'DELETE' && isSuccess && !isItem && (isKnownCollection || !template.includes('{'))),
  },
  {
    clause: 'VERB-8',
    judge: ({ method, status, isItem }) => named('200', method === 'HEAD' && status === 200 && isItem),
  },
  {
    clause: 'VERB-9',
    anywhere: true,
    judge: ({ status, field }) => named('Allow', status === 405 && field('allow') === undefined),
  },
]

const listRules: readonly Rule[] = [
  {
    clause: 'VERB-1',
    judge: (answer) => named('no array', answer.isKnownCollection && isJsonList(answer, 'object')),
  },
  {
    clause: 'QUERY-7',
    judge: (answer) => {
      if (answer.isItem || !isJsonList(answer, 'array') || isSearch(answer.template)) return undefined
      const total = answer.field('x-total-count')
      return total === undefined ? 'x-total-count' : named('x-total-count is not a number', !/^\d+$/.test(total))
    },
  },
  {
    clause: 'QUERY-8',
    judge: (answer) => {
      if (answer.isItem || !isJsonList(answer, 'array')) return undefined
      const { parameters } = answer
      return [parameter.page, parameter.size].find((name) =>
        parameters.some(([one, value]) => one === name && !/^\d+$/.test(value)),
      )
    },
  },
]

const isJsonList = ({ method, status, isJson, body }: JudgedAnswer, form: 'array' | 'object'): boolean =>
  method === 'GET' && status === 200 && isJson && body === form

/** Whether a template belongs to a search. Search results need no total count (PATH-8). */
const isSearch = (template: string): boolean => /\/(?:search|buscar|busqueda)$/i.test(template)

const headerRules: readonly Rule[] = [
  { clause: 'HDR-1', anywhere: true, judge: ({ status }) => named('406', status === 406) },
  {
    clause: 'HDR-1',
    judge: (answer) =>
      named(
        'Accept',
        answer.isSuccess &&
          answer.hasBody &&
          answer.type !== '' &&
          !accepts(answer.requestField('accept'), answer.type),
      ),
  },
  {
    clause: 'HDR-2',
    judge: ({ method, status, isItem, isJson, isXml, body, field }) => {
      // An array is the response to a list request, even if the path ends like the path of an item.
      if (method !== 'GET' || status !== 200 || !isItem || body === 'array' || !(isJson || isXml)) return undefined
      const tag = field('etag')
      return tag === undefined ? 'Etag' : named('weak Etag', tag.startsWith('W/'))
    },
  },
  {
    clause: 'HDR-3',
    judge: ({ method, isSuccess, requestField }) => {
      const list = parseTagList(requestField('if-match'))
      const isWeak = list !== undefined && !list.any && list.tags.length > 0 && list.tags.every(({ weak }) => weak)
      return named('weak If-Match', ['PUT', 'PATCH', 'DELETE'].includes(method) && isSuccess && isWeak)
    },
  },
  {
    clause: 'HDR-4',
    judge: ({ method, status, requestField, field }) => {
      const list = parseTagList(requestField('if-none-match'))
      const tag = field('etag')?.replace(/^W\//, '')
      return named(
        'If-None-Match',
        method === 'GET' &&
          status === 200 &&
          tag !== undefined &&
          list?.tags.some(({ opaque }) => opaque === tag) === true,
      )
    },
  },
  {
    clause: 'HDR-4',
    judge: ({ status, requestField, field }) =>
      named(
        '304 without Etag',
        status === 304 && requestField('if-none-match') !== undefined && field('etag') === undefined,
      ),
  },
  {
    clause: 'HDR-6',
    anywhere: true,
    judge: ({ field }) =>
      named(
        'no-store',
        field('x-authorization-token') !== undefined && !/\bno-store\b/i.test(field('cache-control') ?? ''),
      ),
  },
]

const noCaches = new Caches(false)

/**
 * Whether `Accept` allows a media type. Parameters of media types, such as a charset, are ignored.
 */
function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept.trim() === '' || /(?:^|,)\s*\*\/\*\s*(?:,|$)/.test(accept)) return true
  // An invalid media type can't be compared with `Accept`, so it is not a violation.
  if (parseMediaType(type) === undefined) return true
  const ranges = accept.replace(/;(?!\s*q\s*=)[^,;]*/gi, '')
  return negotiator([type], noCaches)(ranges) !== undefined
}

const accessRules: readonly Rule[] = [
  {
    clause: 'AUTH-2',
    anywhere: true,
    judge: ({ method, isSuccess, field }) =>
      named('method', isSuccess && method !== 'GET' && field('x-authorization-token') !== undefined),
  },
  {
    clause: 'AUTH-4',
    anywhere: true,
    judge: ({ status, field }) => named('WWW-Authenticate', status === 401 && field('www-authenticate') === undefined),
  },
  {
    clause: 'LIMIT-1',
    anywhere: true,
    judge: ({ status, field }) => named('Retry-After', status === 429 && field('retry-after') === undefined),
  },
  {
    clause: 'VER-2',
    anywhere: true,
    judge: ({ status, hasBody, template }) =>
      named(
        'body',
        status === 410 && hasBody && /^(?:\/[^/{]+)*\/v\d+(?:\/|$)/i.test(template) && !template.includes('{'),
      ),
  },
  {
    clause: 'VER-3',
    anywhere: true,
    judge: ({ field }) => {
      const deprecation = field('deprecation')
      if (deprecation !== undefined && !/^@-?\d+$/.test(deprecation)) return 'Deprecation'
      const sunset = field('sunset')
      return named(
        'Sunset',
        sunset !== undefined && !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(sunset),
      )
    },
  },
]

const errorRules: readonly Rule[] = [
  {
    clause: 'ERR-1',
    judge: ({ method, status, requestField }) => {
      if (status === 302) return named('302', method !== 'HEAD')
      // 406 is reported by the rule for HDR-1, and 206 is allowed for range requests.
      if (status === 406 || (status === 206 && requestField('range') !== undefined)) return undefined
      return named(String(status), !statuses.has(status))
    },
  },
  {
    clause: 'ERR-1',
    judge: ({ status, field }) =>
      named('503 without Retry-After', status === 503 && field('retry-after') === undefined),
  },
  {
    clause: 'ERR-3',
    anywhere: true,
    judge: (answer) => {
      const { status, method, hasBody, type } = answer
      if (status < 400 || status === 410 || method === 'HEAD') return undefined
      if (!hasBody) return 'no body'
      if (type === mediaType.problem || type === mediaType.problemXml) return undefined
      return type === 'text/html' ? 'HTML' : answer.isJson ? 'JSON' : answer.isXml ? 'XML' : 'another type'
    },
  },
]

const rules = [...writeRules, ...listRules, ...headerRules, ...accessRules, ...errorRules]

/**
 * The clauses that a response violates. `isRoute`: whether the service has a route for the request.
 * If it has none, only the rules with `anywhere` apply.
 */
export function judge(answer: JudgedAnswer, isRoute: boolean): Finding[] {
  const found: Finding[] = []
  for (const rule of rules) {
    if (!isRoute && rule.anywhere !== true) continue
    const detail = rule.judge(answer)
    if (detail !== undefined) found.push({ clause: rule.clause, detail })
  }
  return found
}
