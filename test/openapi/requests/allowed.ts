/**
 * Reasons for which a service refuses requests that its document allows. A schema cannot express
 * these reasons.
 */

/** The reasons, by the code of the problem. */
export const refusals: Readonly<Record<string, string>> = {
  stale: 'the tag does not belong to the current version',
  'precondition-failed': 'the record already exists',
  absent: 'no such record',
  'unknown-path': 'no such record',
  duplicate: 'another record has the same key, or the same value of a unique member',
  reference: 'a record that the request refers to does not exist',
  referenced: 'other records refer to the record',
  rule: 'a rule of the service',
  'idempotency-mismatch': 'the key was used with another body',
}

/** The reasons, by the code of a violation in `invalid-body` or `invalid-query`. */
export const violations: Readonly<Record<string, string>> = {
  fixed: 'the body has another key than the URL',
  readOnly: 'a read-only member has another value than the record',
  link: 'the URL in a link is not a URL of the service',
  reference: 'a link leads to a record that does not exist',
  rule: 'a rule of the service, or a string that the store cannot store',
}
