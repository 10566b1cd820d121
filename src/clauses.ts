/**
 * The clauses of the conventions in plain words. Problems, OpenAPI documents and docs pages refer
 * to clauses by their ids.
 */

/** One rule of the conventions. */
export interface Clause {
  readonly title: string
  /**
   * The meaning of the clause for a client. Literal text of requests and responses is in
   * backquotes.
   */
  readonly text: string
}

const clause = (title: string, text: string): Clause => ({ title, text })

/** Each clause by its id, in the order of the conventions. */
export const clauses = {
  'PATH-1': clause(
    'Shape of an address',
    'An address is `/{version}/{collection}/{id}`, with sub-collections below an item. An area may stand ' +
      'between the version and the collection.',
  ),
  'PATH-2': clause(
    'Collections are plural',
    'The segment of a collection is a plural noun, even in the address of a single item.',
  ),
  'PATH-3': clause('No verbs in paths', 'A path identifies a resource. The method defines the operation.'),
  'PATH-4': clause('No formats in paths', 'Paths do not depend on formats. `Accept` selects the format.'),
  'PATH-5': clause('Parents first', 'In a path, the parent precedes its sub-collections.'),
  'PATH-6': clause('No filters in paths', 'Filters are query parameters. The path identifies what is filtered.'),
  'PATH-7': clause(
    'Sub-collections',
    'Resources of a parent are addressed below it. A contained item exists only there. An associated item also ' +
      'has its own address; PUT adds it to the sub-collection and DELETE removes it.',
  ),
  'PATH-8': clause(
    'Actions',
    'An action is a member that PATCH changes, a flag that PUT sets and DELETE clears, or a documented ' +
      'endpoint. Setting a flag twice has the same effect as setting it once.',
  ),
  'PATH-9': clause(
    'Identifiers of several parts',
    'An identifier of several parts is one segment, `part=value,part=value`, in the documented order. `%`, `,` ' +
      'and `=` inside a value are percent-encoded.',
  ),
  'PATH-10': clause('Names are checked', 'Names in paths are validated when the service starts.'),
  'PATH-11': clause(
    'One address for a resource',
    'Segments are case-sensitive and decoded once. `03` is not another spelling of `3`. A trailing slash makes ' +
      'no difference.',
  ),
  'REP-1': clause(
    'Links',
    'A link is an object with the absolute URL of its target in `href`, and optionally some members of the target.',
  ),
  'REP-2': clause(
    'Expansions',
    '`expand` replaces a link with the full representation of its target. The links inside this representation ' +
      'stay links.',
  ),
  'REP-3': clause(
    'Several expansions',
    'Several links can be expanded at once. A link whose target does not exist remains a link.',
  ),
  'REP-4': clause(
    'Local date-times',
    'A local date-time is ISO 8601 with seven fractional digits and no zone: `2026-01-31T08:30:00.0000000`.',
  ),
  'REP-5': clause(
    'Absolute addresses',
    'Links begin with the configured address of the service, or else with the host that the client used.',
  ),
  'REP-6': clause(
    'Records of the worked example',
    'The example service has exactly the members and types of the worked example of the conventions.',
  ),
  'REP-7': clause(
    'Links in bodies',
    'A body identifies the target of a link by `href` or by its key. Other members of the link are ignored, so ' +
      'the result of a GET can be sent back unchanged.',
  ),
  'REP-8': clause(
    'Members',
    'Responses always contain nullable members. In POST and PUT, a missing optional member gets its default, or null ' +
      'if it is nullable and has no default. Unknown members are refused. A read-only member may be sent with its ' +
      'current value. Responses never contain write-only members.',
  ),
  'VERB-1': clause('GET', 'GET of a collection returns a list. GET of an item returns the item.'),
  'VERB-2': clause(
    'POST',
    'POST creates an item. The response is 201 or 202 with the address in `Location`. `Prefer: ' +
      'return=representation` requests a body too.',
  ),
  'VERB-3': clause(
    'PUT',
    'PUT replaces a whole item and keeps its identifier. It never creates an item: if there is none, the ' +
      'response is 404.',
  ),
  'VERB-4': clause(
    'PUT into a sub-collection',
    'PUT without a body adds an existing item to the sub-collection of a parent. DELETE removes it from the ' +
      'sub-collection, but does not delete the item.',
  ),
  'VERB-5': clause(
    'PATCH',
    'PATCH changes only the members that are sent (JSON Merge Patch, RFC 7396). Null sets a nullable member to ' +
      'null, and removes any other member.',
  ),
  'VERB-6': clause('DELETE', 'The response to DELETE has no body. Afterwards, a GET of the item gets 404.'),
  'VERB-7': clause('No DELETE of a collection', 'DELETE of a whole collection always gets 405.'),
  'VERB-8': clause(
    'HEAD',
    'HEAD of an item returns 302 if it exists and 404 if it does not. There is no `Location`: do not follow the ' +
      'redirect. HEAD of a list has the header fields of the list.',
  ),
  'VERB-9': clause(
    'Methods of an address',
    'A method that is not supported gets 405. `Allow` and OPTIONS list the supported methods.',
  ),
  'VERB-10': clause(
    'Responses to changes',
    'PUT and PATCH respond with the new representation and its `Etag`. `Prefer: return=minimal` omits the body.',
  ),
  'VERB-11': clause(
    'Public services',
    'A public service offers POST on the collection, and GET and DELETE on the item. These methods follow the ' +
      'same rules as in a private service.',
  ),
  'VERB-12': clause(
    'Idempotency keys',
    'A POST with an `Idempotency-Key` can be repeated: an identical repeat creates nothing and gets the first ' +
      'response. A different body with the same key gets 422.',
  ),
  'VERB-13': clause(
    'Committed changes',
    "After a change is committed, the response does not claim that nothing was changed. Parts that can't be " +
      'returned are omitted from the response.',
  ),
  'QUERY-1': clause(
    'Filters',
    'Filters are `property=value`. An item must match all of them. Values have the type of the member. A property ' +
      'may be repeated only if several values are allowed.',
  ),
  'QUERY-2': clause(
    'Sorting',
    '`sort` is a comma-separated list of fields. `-` means descending. Later fields break ties. Null sorts as ' +
      'the largest value.',
  ),
  'QUERY-3': clause(
    'Full-text search',
    '`q` is passed to the search engine unchanged. The response is a list like any other.',
  ),
  'QUERY-4': clause('Page number', '`offest`, with this spelling, is the page number.'),
  'QUERY-5': clause('Page size', '`limit` is the number of items per page. A value above the maximum gets 400.'),
  'QUERY-6': clause('Expansion', '`expand` is a comma-separated list of links to expand.'),
  'QUERY-7': clause(
    'Totals and pages',
    '`x-total-count` is the number of matching items. `Link` has the addresses of the other pages: use them ' +
      'unchanged. A page past the end is an empty list.',
  ),
  'QUERY-8': clause(
    'Unknown parameters',
    'An unknown parameter, field or expansion, or a malformed value, gets 400. The response names it, and lists ' +
      'what is allowed.',
  ),
  'HDR-1': clause(
    'Media types',
    '`Accept` selects the media type of the response. If the service offers no type that `Accept` allows, the ' +
      'response is 415.',
  ),
  'HDR-2': clause(
    'Entity tags',
    '`Etag` identifies the version of a representation. Send it back in `If-Match` or `If-None-Match`.',
  ),
  'HDR-3': clause(
    'If-Match',
    'A change with `If-Match` is made only if the item still has that `Etag`. Otherwise the response is 412. Of ' +
      'two clients with the same tag, only one succeeds. `*` matches any tag.',
  ),
  'HDR-4': clause(
    'If-None-Match',
    'A GET with `If-None-Match` gets 304 without a body if the client has the current representation.',
  ),
  'HDR-5': clause(
    'Request bodies',
    '`Content-Type` declares the format of a body. An unsupported format gets 415, a malformed body gets 400, and a ' +
      'body that is too large gets 413.',
  ),
  'HDR-6': clause(
    'Caching',
    'By default, responses to authenticated requests are private and revalidated before each use. Errors and ' +
      'tokens are never stored.',
  ),
  'HDR-7': clause(
    'Browsers',
    'Scripts of other origins may read the header fields of the conventions if the service allows their origin.',
  ),
  'HDR-8': clause('Strong tags', 'Two different bodies of one resource never have the same `Etag`.'),
  'AUTH-1': clause('Bearer tokens', 'A private service requires `Authorization: Bearer <token>`.'),
  'AUTH-2': clause(
    'Login',
    'GET of the login with user and password (Basic) returns a token in `x-authorization-token`.',
  ),
  'AUTH-3': clause(
    'Tokens of public services',
    'Each request to a public service sends its token in `x-authorization-token`.',
  ),
  'AUTH-4': clause(
    'Permission',
    'Without valid credentials the response is 401. A caller without permission gets 403, or 405 if only the ' +
      'method is not permitted.',
  ),
  'AUTH-5': clause(
    'Validity of tokens',
    'A token expires at its `exp`. Its algorithm, issuer and audience must be the ones that the service accepts.',
  ),
  'AUTH-6': clause(
    'Login attempts',
    'Logins are limited by account and by IP address. An unknown user and a wrong password get the same response.',
  ),
  'ERR-1': clause('Statuses', 'Each status has one meaning in all services.'),
  'ERR-2': clause(
    '400 and 422',
    'A malformed request gets 400. A well-formed body that violates a rule, or whose key already exists, gets 422.',
  ),
  'ERR-3': clause(
    'Problems',
    'The body of an error is `application/problem+json` (RFC 9457) with a stable `code`, and all violations in ' +
      '`errors`.',
  ),
  'LIMIT-1': clause(
    'Rate limit',
    'Too many requests get 429. `Retry-After` has the waiting time, `RateLimit` the remaining requests.',
  ),
  'VER-1': clause(
    'Versions',
    'The version is the first segment. Several versions are served side by side. An unknown version gets 404.',
  ),
  'VER-2': clause(
    'Retired versions',
    'Every request to a retired version, or to a retired part of a version, gets 410 without a body.',
  ),
  'VER-3': clause(
    'Deprecated versions',
    'The end of a version is announced in `Deprecation`, `Sunset` and a `Link` to its successor.',
  ),
} as const satisfies Readonly<Record<string, Clause>>

/** The id of a clause. */
export type ClauseId = keyof typeof clauses
