/**
 * Applies a rule to a response just before a hand-written handler sends it, whichever method of
 * `res` the handler calls.
 */

import type { OutgoingHttpHeader, ServerResponse } from 'node:http'
import { headFields } from '../http/head-fields.js'

/**
 * How to send a response. `whole`: the response is sent as it is. `bodiless`: the response is sent
 * without its body. If the verdict is an error, the response to that error replaces the handler's
 * response.
 */
export type Verdict = 'whole' | 'bodiless' | Error

/**
 * Inspects the status and the header fields of a response, may change them, and decides how the
 * response is sent. `hasContent` is true if the response is already known to have a body.
 */
export type HeadRule = (res: ServerResponse, hasContent?: boolean) => Verdict

/**
 * Applies a rule once, just before the head of the response is sent. An error that the rule returns
 * is passed to `refuse`. If the error were thrown instead, a method such as `res.json` would throw
 * it in the handler. With Express 4, an exception in an async handler ends the process, and the
 * client gets no response.
 */
export function applyHeadRule(res: ServerResponse, rule: HeadRule, refuse: (error: Error) => void): void {
  const { writeHead, write, end } = res
  let verdict: Verdict | undefined
  let refused: number | undefined

  const applyRule = (chunk?: unknown): void => {
    if (verdict !== undefined) return
    const { statusCode } = res
    verdict = res.headersSent ? 'whole' : rule(res, hasContent(res, chunk))
    // The reason phrase belongs to the old status, so it is reset.
    if (res.statusCode !== statusCode) res.statusMessage = ''
    if (!(verdict instanceof Error)) return
    refused = statusCode
    refuse(verdict)
  }
  // After a refusal, the output of the handler is discarded, but the response to the error is sent.
  // The error handler sets another status. So while `res` still has the refused status, the output
  // is that of the handler.
  const isDiscarded = (status = res.statusCode): boolean =>
    refused !== undefined && (res.writableEnded || status === refused)

  // In `node:http`, these methods have several overloads, so the arguments have the type `unknown`
  // here.
  res.writeHead = ((status: number, ...rest: unknown[]) => {
    if (isDiscarded(status)) return res
    if (!res.headersSent) {
      res.statusCode = status
      if (typeof rest[0] === 'string') res.statusMessage = rest[0]
      setFields(res, rest.at(-1))
      applyRule()
      if (isDiscarded()) return res
    }
    return (writeHead as (status: number) => ServerResponse).call(res, res.statusCode)
  }) as typeof writeHead
  res.write = ((...rest: unknown[]) => {
    applyRule(rest[0])
    if (verdict !== 'bodiless' && !isDiscarded()) return (write as (...rest: unknown[]) => boolean).apply(res, rest)
    callBackLater(rest)
    return true
  }) as typeof write
  res.end = ((...rest: unknown[]) => {
    applyRule(rest[0])
    if (isDiscarded()) {
      callBackLater(rest)
      return res
    }
    return (end as (...rest: unknown[]) => ServerResponse).apply(
      res,
      verdict === 'bodiless' ? rest.filter(isFunction) : rest,
    )
  }) as typeof end
}

/** Sets the header fields that are passed to `writeHead`, as Node does. */
function setFields(res: ServerResponse, given: unknown): void {
  const fields = headFields(given)
  if (!Array.isArray(given)) {
    for (const [name, value] of fields) res.setHeader(name, value)
    return
  }
  // An array replaces fields that were set before, and may contain a name several times.
  for (const [name] of fields) res.removeHeader(name)
  for (const [name, value] of fields) res.appendHeader(name, fieldValues(value))
}

const fieldValues = (value: OutgoingHttpHeader): string | readonly string[] =>
  Array.isArray(value) ? value : String(value)

/**
 * Whether a response is known to have a body: its first chunk is not empty, or its header fields
 * announce a body.
 */
function hasContent(res: ServerResponse, chunk: unknown): boolean {
  if ((typeof chunk === 'string' || chunk instanceof Uint8Array) && chunk.length > 0) return true
  const length = res.getHeader('Content-Length')
  return length === undefined ? res.hasHeader('Transfer-Encoding') : String(length) !== '0'
}

const isFunction = (argument: unknown): argument is () => void => typeof argument === 'function'

/**
 * Calls the callback among the arguments asynchronously, as a stream does after it has accepted a
 * chunk.
 */
function callBackLater(rest: readonly unknown[]): void {
  const callback = rest.find(isFunction)
  if (callback !== undefined) process.nextTick(callback)
}
