/** The log line of a failed request. All such lines are created in this file. */
import { type Cause, causesOf } from './causes.js'
import { type Incident, incidents } from './incidents.js'

/** A failed request. The events of `onError` have these properties. */
export interface Failure {
  readonly method: string
  /**
   * The template of the path, with mount path and version, such as `/v1/contratos/{id}`. It is
   * never the path of the request, because that path contains values.
   */
  readonly httpRoute: string | undefined
  readonly status: number
  readonly code: string
  readonly clause: string
  /**
   * The name of the step that failed, as in docs/lifecycle.md; `undefined` for hand-written routes.
   */
  readonly step: string | undefined
  readonly requestId: string | undefined
  readonly error: unknown
}

/**
 * Describes a failed request in one line: the step that failed, the causes, and what to check next.
 * The line contains no secrets and no values. If an error does not come from the library, the
 * network, PostgreSQL or Redis, the line contains the class of the error and its position in the
 * code instead of its message.
 *
 * @example onError: (event) => { if (event.status >= 500) log.error(failureLine(event)) }
 */
export function failureLine(failure: Failure): string {
  const { method, httpRoute = '-', status, code, clause, step, requestId } = failure
  const causes = causesOf(failure.error)
  const incident = incidentIn(causes) ?? incidentAt(failure)
  return [
    `${method} ${httpRoute} ${status} ${code} ${clause}`,
    ...(step === undefined ? [] : [`step=${step}`]),
    ...(requestId === undefined ? [] : [`request=${requestId}`]),
    ...(causes.length === 0 ? [] : [`cause="${wordsOf(causes)}"`]),
    ...(incident === undefined ? [] : [`look="${incidents[incident]}"`, `see=docs/operations.md#${incident}`]),
  ].join(' ')
}

/**
 * Describes the causes of an error in one string, for log lines that are not about a request. Like
 * the line of `failureLine()`, the string contains no secrets and no values.
 *
 * @example onStoreFailure: (error) => log.error(causeText(error))
 */
export const causeText = (error: unknown): string => wordsOf(causesOf(error))

const wordsOf = (causes: readonly Cause[]): string =>
  causes
    .map(({ text }) =>
      text
        .replaceAll('"', "'")
        .replace(/[\s\p{Cc}]+/gu, ' ')
        .replace(/[. ]+$/, ''),
    )
    .join(' <- ')

/**
 * Selects the incident (a section of docs/operations.md) of the innermost cause. The incidents
 * `unreachable` and `code-fault` are less specific, so they are selected only if no cause has
 * another incident. For example, if the database is unreachable, the innermost cause is a network
 * error with the incident `unreachable`, but an outer cause has the incident `database-gone`.
 */
function incidentIn(causes: readonly Cause[]): Incident | undefined {
  const found = causes.flatMap(({ incident }) => incident ?? [])
  const special = found.filter((one) => one !== 'unreachable' && one !== 'code-fault')
  return special.at(-1) ?? found.at(-1)
}

/**
 * Selects the incident by the status and the step, for a failure whose causes indicate no incident.
 */
function incidentAt({ step, status }: Failure): Incident | undefined {
  if (status !== 503) return status >= 500 ? 'code-fault' : byStatus[status]
  if (step === 'authenticate') return 'key-rotation'
  if (step === 'throttle') return 'redis-gone'
  return step === 'execute' ? 'stale-storm' : 'overload'
}

const byStatus: Readonly<Record<number, Incident>> = {
  401: 'clock-skew',
  410: 'retired-version-called',
  412: 'stale-storm',
}
