/** A report as JSON. It holds no token. */
import { clauses } from '../../clauses.js'
import type { Principal } from '../client/principals.js'
import type { Result } from '../verdict.js'
import { curlOf } from './curl.js'
import type { CheckReport } from './report.js'
import { breakOf } from './scripts.js'

/** Characters of a body that are shown. */
const longestBody = 2_000

export function jsonOf(report: CheckReport, principals: readonly Principal[]): string {
  const byName = new Map(principals.map((principal) => [principal.name, principal]))
  return `${JSON.stringify({ ...report, results: report.results.map((result) => shown(result, byName)) }, undefined, 2)}\n`
}

function shown(result: Result, principals: ReadonlyMap<string, Principal>): object {
  const { outcome, ...rest } = result
  const text = clauses[result.clause].text
  const found = breakOf(result)
  if (found === undefined) return { ...rest, text, ...outcome }
  const evidence = found.evidence.map(({ request, answer }) => ({
    request: {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: request.body,
      curl: curlOf(request, principals),
    },
    answer: {
      status: answer.status,
      headers: Object.fromEntries(answer.fields),
      body: answer.body.slice(0, longestBody),
    },
  }))
  return { ...rest, text, ...outcome, evidence, sign: undefined, trace: undefined }
}
