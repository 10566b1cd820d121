/** The log line of a failed request. All such lines are created here. */
import { type Cause, causesOf } from './causes.js'
import { type Incident, incidents } from './incidents.js'

/** A failed request. An event of `onError` has this form. */
export interface Failure {
  readonly method: string
  /** The whole template, such as `/v1/contratos/{id}`; never the path, which contains values. */
  readonly httpRoute: string | undefined
  readonly status: number
  readonly code: string
  readonly clause: string
  /** The step that failed; `undefined` for hand-written routes. */
  readonly step: string | undefined
  readonly requestId: string | undefined
  readonly error: unknown
}

/**
 * One line about a failed request: its step, its causes, and what to check next. It contains no
 * secrets and no values: for an error that does not come from the library, the network or
 * PostgreSQL, it contains the class and the place in the code instead of the message.
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
 * The causes of an error as one text, for log lines that are not about a request. Like
 * `failureLine`, it contains no secrets and no values.
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
 * Selects the incident of the innermost cause. `unreachable` and `code-fault` are selected only if
 * there is no other: for example, only an outer cause shows whether the database was unreachable.
 */
function incidentIn(causes: readonly Cause[]): Incident | undefined {
  const found = causes.flatMap(({ incident }) => incident ?? [])
  const special = found.filter((one) => one !== 'unreachable' && one !== 'code-fault')
  return special.at(-1) ?? found.at(-1)
}

/** Without a known cause, the status and the step decide. */
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
