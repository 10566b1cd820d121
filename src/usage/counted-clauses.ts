/** Which clauses have been counted for a request, so that who sees it again does not count it twice. */
import type { IncomingMessage } from 'node:http'
import type { Usage } from './usage.js'

interface CountedClause {
  readonly usage: Usage
  readonly clause: string
}

/** Few requests have any, and those have few. */
const counted = new WeakMap<IncomingMessage, CountedClause[]>()

/** Remembers that a request was counted for a clause by the middleware or router that answers it. */
export function noteCounted(req: IncomingMessage, usage: Usage, clause: string): void {
  const known = counted.get(req)
  if (known === undefined) counted.set(req, [{ usage, clause }])
  else known.push({ usage, clause })
}

/** Whether that was so, in the same counts. */
export const isCounted = (req: IncomingMessage, usage: Usage, clause: string): boolean =>
  counted.get(req)?.some((one) => one.usage === usage && one.clause === clause) ?? false
