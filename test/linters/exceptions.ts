/**
 * The accepted findings of the OWASP rules. The conventions or the worked example require what
 * these rules report. Each entry has the rule, the path in the document and the reason.
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
      'Clients get the token of a public API by sending a user and a password with the Basic scheme (AUTH-2). ' +
      'Only the login accepts that scheme.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    place: /^paths \/login /,
    reason:
      'Only failed logins are counted, by account and IP address (AUTH-6). ' +
      'The number of remaining attempts would tell strangers whether an account is under attack.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    place: / responses (?:410|Gone(?:WithoutBody)?) headers$/,
    reason: 'A retired version responds before requests are counted (VER-2).',
  },
  {
    rule: 'owasp:api1:2023-no-numeric-ids',
    place: /^paths \/clientes\/\{id\}/,
    reason:
      'Ids of the worked example are integers (REP-6). The permission decides who may see an item, so a guessed ' +
      'id gives no access.',
  },
]
