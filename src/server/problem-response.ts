/** Problems as JSON (RFC 9457), for responses without content negotiation. */
import { type HttpProblem, type ProblemPlace, problemBody } from '../problem.js'
import { header, mediaType } from '../wire.js'

/** The header fields and the body of a problem. */
export interface ProblemResponse {
  readonly head: Readonly<Record<string, string>>
  readonly body: string
}

export function problemResponse(problem: HttpProblem, place: ProblemPlace): ProblemResponse {
  const body = JSON.stringify(problemBody(problem, place))
  return {
    head: {
      [header.contentType]: mediaType.problem,
      [header.contentLength]: String(Buffer.byteLength(body)),
      [header.typeOptions]: 'nosniff',
      ...problem.headers,
    },
    body,
  }
}
