/** The problem details (RFC 9457) of hand-written servers. */

export const problemType = 'application/problem+json'

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail)
  }

  body(instance: string): object {
    return { type: 'about:blank', title: this.title, status: this.status, detail: this.detail, instance }
  }
}

export const absent = (): Problem => new Problem(404, 'The resource does not exist', 'No resource has this address.')
export const stale = (): Problem =>
  new Problem(412, 'The resource has changed', 'If-Match does not name the current version. GET the piece again.')
export const invalid = (detail: string): Problem => new Problem(422, 'The body is not valid', detail)
export const malformed = (detail: string): Problem => new Problem(400, 'The request is malformed', detail)

/**
 * Converts any exception to a problem. For an unexpected error, the problem does not show the
 * error's message.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { status, expose, message } = error as { status?: unknown; expose?: unknown; message?: unknown }
  if (expose === true && typeof status === 'number')
    return new Problem(status, 'The request is malformed', String(message))
  console.error(error)
  return new Problem(500, 'Something went wrong', 'The request could not be answered.')
}
