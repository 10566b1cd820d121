/**
 * Findings of the OWASP rules that are accepted, because the conventions or the worked example
 * require them. Each has the path in the document and the reason.
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
      'AUTH-2 issues the token of a public API in exchange for a user and password by the Basic scheme. ' +
      'Only the login accepts that scheme.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    place: /^paths \/login /,
    reason:
      'Logins are counted by account and address, and only those that fail (AUTH-6). ' +
      'The remaining number would tell strangers whether an account is under attack.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    place: / responses (?:410|Gone(?:WithoutBody)?) headers$/,
    reason: 'A retired version responds before requests are counted (VER-2).',
  },
  {
    rule: 'owasp:api8:2023-define-cors-origin',
    place: / responses (?:410|Gone(?:WithoutBody)?) headers$/,
    reason: 'The response of a retired version has no body that a script could read (VER-2).',
  },
  {
    rule: 'owasp:api1:2023-no-numeric-ids',
    place: /^paths \/clientes\/\{id\}/,
    reason:
      'Ids of the worked example are integers (REP-6). The permission decides who may see an item, so a guessed ' +
      'id gives no access.',
  },
]
