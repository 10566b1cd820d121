/**
 * Requests and responses as reports show them: requests without credentials, and responses whose
 * long bodies and header fields are truncated.
 */
import { firstOf } from '../../cut-text.js'
import type { Exchange } from '../client/exchange.js'
import type { Principal } from '../client/principals.js'
import { curlOf } from './curl.js'

/** The maximum size of a response body in a report, in characters. */
const longestBody = 2_000

/** The maximum size of a response header field in a report, in characters. */
const longestField = 1_000

export interface ShownExchange {
  readonly request: {
    readonly method: string
    readonly url: string
    /** The header fields without credentials. */
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string | undefined
    /** The request as a command, which reads tokens from environment variables. */
    readonly curl: string
  }
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** The first `longestBody` characters of the body. */
    readonly body: string
    /** The number of omitted characters of the body. */
    readonly cut: number
  }
}

export const byName = (principals: readonly Principal[]): ReadonlyMap<string, Principal> =>
  new Map(principals.map((principal) => [principal.name, principal]))

export function shownExchange(
  { request, answer }: Exchange,
  principals: ReadonlyMap<string, Principal>,
): ShownExchange {
  const { method, url, headers, body } = request
  const head = firstOf(answer.body, longestBody)
  return {
    request: { method, url, headers, body, curl: curlOf(request, principals) },
    answer: {
      status: answer.status,
      headers: Object.fromEntries(answer.fields.map(([name, value]) => [name, firstOf(value, longestField)])),
      body: head,
      cut: answer.body.length - head.length,
    },
  }
}
