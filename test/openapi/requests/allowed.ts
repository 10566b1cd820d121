/**
 * Reasons for which a service refuses requests that its document allows. A schema cannot express
 * these reasons.
 */

/** The reasons, by the code of the problem. */
export const refusals: Readonly<Record<string, string>> = {
  stale: 'the tag is not that of the current version',
  'precondition-failed': 'the record already exists',
  absent: 'no such record',
  'unknown-path': 'no such record',
  duplicate: 'a key, or another member, is unique',
  reference: 'the record that is named does not exist',
  referenced: 'others need it',
  rule: "a rule of the team's own",
  'idempotency-mismatch': 'the key was used with another body',
}

/** The reasons, by the code of a violation in `invalid-body` or `invalid-query`. */
export const violations: Readonly<Record<string, string>> = {
  fixed: 'the address says what the key is',
  readOnly: 'a read-only member is sent as it is, or not at all',
  link: 'the address in a link is not an address of the service',
  reference: 'a link leads to a record that does not exist',
  rule: "a rule of the team's own, or a text that the store cannot keep",
}
