/** A rule over an answer that a hand-written handler is about to send, by whatever method of `res` it does so. */

import type { ServerResponse } from 'node:http'
import { isContainer } from '../definition/json.js'

/** The answer leaves as it is, or without its body; or the error takes its place. */
export type Verdict = 'whole' | 'bodiless' | Error

/** Looks at the status and the headers of an answer, mends them, and says what becomes of it. `hasContent`: as far as that is known by then, it has a body. */
export type HeadRule = (res: ServerResponse, hasContent?: boolean) => Verdict

/**
 * Applies a rule once, just before the head of the answer leaves. An error of the rule is passed to `refuse` and not thrown: a throw out of `res.json` in a promise
 * that nobody awaits would end the process (Express 4) and leave the client waiting.
 */
export function ruleHead(res: ServerResponse, rule: HeadRule, refuse: (error: Error) => void): void {
  const { writeHead, write, end } = res
  let verdict: Verdict | undefined
  let refused: number | undefined

  const judge = (chunk?: unknown): void => {
    if (verdict !== undefined) return
    const { statusCode } = res
    verdict = res.headersSent ? 'whole' : rule(res, hasContent(res, chunk))
    // Words that went with the old status do not go with another.
    if (res.statusCode !== statusCode) res.statusMessage = ''
    if (!(verdict instanceof Error)) return
    refused = statusCode
    refuse(verdict)
  }
  // What the handler of a refused answer goes on to write falls away; the problem in its place comes with a status of its own.
  const fallsAway = (status = res.statusCode): boolean =>
    refused !== undefined && (res.writableEnded || status === refused)

  // The overloads of node:http can't be told apart from outside: arguments pass through untouched.
  res.writeHead = ((status: number, ...rest: unknown[]) => {
    if (fallsAway(status)) return res
    if (!res.headersSent) {
      res.statusCode = status
      if (typeof rest[0] === 'string') res.statusMessage = rest[0]
      setFields(res, rest.at(-1))
      judge()
      if (fallsAway()) return res
    }
    return (writeHead as (status: number) => ServerResponse).call(res, res.statusCode)
  }) as typeof writeHead
  res.write = ((...rest: unknown[]) => {
    judge(rest[0])
    if (verdict !== 'bodiless' && !fallsAway()) return (write as (...rest: unknown[]) => boolean).apply(res, rest)
    callLater(rest)
    return true
  }) as typeof write
  res.end = ((...rest: unknown[]) => {
    judge(rest[0])
    if (fallsAway()) {
      callLater(rest)
      return res
    }
    return (end as (...rest: unknown[]) => ServerResponse).apply(
      res,
      verdict === 'bodiless' ? rest.filter(isFunction) : rest,
    )
  }) as typeof end
}

/** The header fields in the forms that `writeHead` takes: an object, or a list of names and values in turn. */
function setFields(res: ServerResponse, fields: unknown): void {
  if (!isContainer(fields)) return
  const flat = Array.isArray(fields) ? fields.flat() : undefined
  const pairs: [unknown, unknown][] = flat === undefined ? Object.entries(fields) : []
  for (let at = 0; flat !== undefined && at < flat.length; at += 2) pairs.push([flat[at], flat[at + 1]])
  for (const [name, value] of pairs)
    if (name !== '' && value !== undefined) res.setHeader(String(name), value as string | string[])
}

/** Whether an answer has a body: it says so, or this is the first piece of it. */
function hasContent(res: ServerResponse, chunk: unknown): boolean {
  if ((typeof chunk === 'string' || chunk instanceof Uint8Array) && chunk.length > 0) return true
  const length = res.getHeader('Content-Length')
  return length === undefined ? res.hasHeader('Transfer-Encoding') : String(length) !== '0'
}

const isFunction = (argument: unknown): argument is () => void => typeof argument === 'function'

/** Calls the callback among arguments, as a stream does when it has taken a chunk. */
function callLater(rest: readonly unknown[]): void {
  const callback = rest.find(isFunction)
  if (callback !== undefined) process.nextTick(callback)
}
