/**
 * Findings of the OWASP rules that a service cannot avoid if it follows the conventions. Each has
 * its place in the document and its reason.
 */

interface Exception {
  readonly rule: string
  readonly place: RegExp
  readonly reason: string
}

export const exceptions: readonly Exception[] = [
  {
    rule: 'owasp:api2:2023-no-http-basic',
    place: /^components securitySchemes basic scheme$/,
    reason:
      'AUTH-2 gives the token of a public API for user and password by the Basic scheme. Nothing but the login takes it.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    place: /^paths \/login /,
    reason:
      'Logins are counted by account and address, and only those that fail (AUTH-6). What is left would tell strangers whether somebody attacks an account.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    place: / responses (?:410|Gone(?:WithoutBody)?) headers$/,
    reason: 'A version that has ended answers before anything is counted (VER-2).',
  },
  {
    rule: 'owasp:api8:2023-define-cors-origin',
    place: / responses (?:410|Gone(?:WithoutBody)?) headers$/,
    reason: 'A version that has ended has nothing that a script could read (VER-2).',
  },
  {
    rule: 'owasp:api1:2023-no-numeric-ids',
    place: /^paths \/clientes\/\{id\}/,
    reason:
      'Ids of the worked example are integers (REP-6). Who may see an item is for the permission to say, not for whoever guesses an id.',
  },
]
