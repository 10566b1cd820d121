/** The clauses of the conventions in plain words: what problems, documents and pages refer to by their ids. */

/** One rule of the conventions. */
export interface Clause {
  readonly title: string
  /** What it means for a client. Words in backquotes stand on the wire. */
  readonly text: string
}

const clause = (title: string, text: string): Clause => ({ title, text })

/** Each clause by its id, in the order of the conventions. */
export const clauses = {
  'PATH-1': clause(
    'Shape of an address',
    'An address is `/{version}/{collection}/{id}`, with sub-collections below an item. An area may stand between the version and the collection.',
  ),
  'PATH-2': clause(
    'Collections are plural',
    'The segment of a collection is a plural noun, also where one item is addressed.',
  ),
  'PATH-3': clause('No verbs in paths', 'A path names things. The method says what is done to them.'),
  'PATH-4': clause('No formats in paths', 'A path does not depend on a format. `Accept` chooses it.'),
  'PATH-5': clause('Parents first', 'In a path the parent stands before what belongs to it.'),
  'PATH-6': clause('No filters in paths', 'Query parameters filter. The path only says what is filtered.'),
  'PATH-7': clause(
    'Sub-collections',
    'What belongs to one parent stands below it. A contained item lives there alone. An associated item has an address of its own, and is put in and taken out with PUT and DELETE.',
  ),
  'PATH-8': clause(
    'Actions',
    'An action is a member that PATCH changes, a flag that PUT sets and DELETE unsets, or a documented endpoint. Setting a flag twice is the same as once.',
  ),
  'PATH-9': clause(
    'Identifiers of several parts',
    'Such an identifier is one segment, `part=value,part=value`, in the documented order. `%`, `,` and `=` inside a value are percent-encoded.',
  ),
  'PATH-10': clause('Names are checked', 'The names in paths are checked when the service starts.'),
  'PATH-11': clause(
    'One address for a resource',
    'Segments are case-sensitive and decoded once. `03` is not another spelling of `3`. A slash at the end makes no difference.',
  ),
  'REP-1': clause(
    'Links',
    'An association is an object with the absolute address of the other resource in `href`, and perhaps a few of its members.',
  ),
  'REP-2': clause(
    'Expansions',
    '`expand` puts the full representation in place of a link. Associations inside it stay links.',
  ),
  'REP-3': clause(
    'Several expansions',
    'Several associations can be expanded at once. A link whose target is gone stays a link.',
  ),
  'REP-4': clause(
    'Local date-times',
    'A date-time is ISO 8601 with seven fractional digits and no zone: `2026-01-31T08:30:00.0000000`.',
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
    'A body names the target of a link by `href` or by its key. Other members of the link are ignored, so what GET gave can be sent back unchanged.',
  ),
  'REP-8': clause(
    'Members',
    'A member that may be null is always in an answer. A missing optional member of a body gets its default, or null. Unknown members are refused. A read-only member may be sent with the value that it has. A write-only member is never in an answer.',
  ),
  'VERB-1': clause('GET', 'GET of a collection is a list. GET of an item is one item.'),
  'VERB-2': clause(
    'POST',
    'POST creates an item. The answer is 201 or 202 with the address in `Location`. `Prefer: return=representation` asks for a body too.',
  ),
  'VERB-3': clause(
    'PUT',
    'PUT replaces a whole item and keeps its identifier. It creates nothing: without the item the answer is 404.',
  ),
  'VERB-4': clause(
    'PUT into a sub-collection',
    'PUT without a body puts an existing item into the collection of its parent. DELETE takes it out, and the item stays.',
  ),
  'VERB-5': clause(
    'PATCH',
    'PATCH changes only the members that are sent (JSON Merge Patch, RFC 7396). Null sets null where that is allowed, else it removes the member.',
  ),
  'VERB-6': clause('DELETE', 'DELETE has an answer without a body. Afterwards GET of the item is 404.'),
  'VERB-7': clause('No DELETE of a collection', 'DELETE of a whole collection is always 405.'),
  'VERB-8': clause(
    'HEAD',
    'HEAD of an item is 302 where it exists and 404 where it does not. There is no `Location`: do not follow it. HEAD of a list has the header fields of the list.',
  ),
  'VERB-9': clause(
    'Methods of an address',
    'A method that is not offered is 405. `Allow` and OPTIONS list those that are.',
  ),
  'VERB-10': clause(
    'Answers to changes',
    'PUT and PATCH answer with the new representation and its `Etag`. `Prefer: return=minimal` leaves the body out.',
  ),
  'VERB-11': clause(
    'Public services',
    'A public service offers POST on the collection, and GET and DELETE on the item, by the same rules.',
  ),
  'VERB-12': clause(
    'Idempotency keys',
    'A POST with an `Idempotency-Key` can be repeated: an equal repeat creates nothing and gets the first answer. Another body with the same key is 422.',
  ),
  'VERB-13': clause(
    'Changes that were made',
    'Once a change was made, no answer says that it was not. What can not be shown is left out of the answer.',
  ),
  'QUERY-1': clause(
    'Filters',
    'Filters are `property=value`, and all of them hold. Values have the type of the member. A property stands once, unless several values are allowed.',
  ),
  'QUERY-2': clause(
    'Sorting',
    '`sort` is a comma list of fields. `-` is descending. Later fields break ties. Null counts as the largest value.',
  ),
  'QUERY-3': clause('Full-text search', '`q` goes to the search engine as it is. The answer looks like any list.'),
  'QUERY-4': clause('Page number', '`offest`, spelled so, is the number of the page.'),
  'QUERY-5': clause('Page size', '`limit` is the number of items on a page. More than the maximum is 400.'),
  'QUERY-6': clause('Expansion', '`expand` is a comma list of associations that are put in full.'),
  'QUERY-7': clause(
    'Totals and pages',
    '`x-total-count` is how many items match. `Link` leads to the other pages: follow it as it is. A page past the end is an empty list.',
  ),
  'QUERY-8': clause(
    'Unknown parameters',
    'An unknown parameter, field or expansion, or a malformed value, is 400. The answer names it and what is allowed.',
  ),
  'HDR-1': clause('Media types', '`Accept` chooses the media type of the answer. One that is not offered is 415.'),
  'HDR-2': clause(
    'Entity tags',
    '`Etag` names the version of a representation. Send it back in `If-Match` or `If-None-Match`.',
  ),
  'HDR-3': clause(
    'If-Match',
    'With `If-Match` a change is made only while the item still has that `Etag`: else 412. Of two clients with the same tag one succeeds. `*` fits any version.',
  ),
  'HDR-4': clause(
    'If-None-Match',
    'A GET with `If-None-Match` is 304 without a body while the client has the current representation.',
  ),
  'HDR-5': clause(
    'Request bodies',
    '`Content-Type` says the format of a body. Another one is 415, what can not be read is 400, what is too large is 413.',
  ),
  'HDR-6': clause(
    'Caching',
    'Answers to authenticated requests are private and checked again before each use. Errors and tokens are never stored.',
  ),
  'HDR-7': clause(
    'Browsers',
    'Scripts of other origins may read the header fields of the conventions, where the service allows their origin.',
  ),
  'HDR-8': clause('Strong tags', 'Two different bodies of one resource never have the same `Etag`.'),
  'AUTH-1': clause('Bearer tokens', 'A private service takes `Authorization: Bearer <token>`.'),
  'AUTH-2': clause(
    'Login',
    'GET of the login with user and password (Basic) answers with a token in `x-authorization-token`.',
  ),
  'AUTH-3': clause(
    'Tokens of public services',
    'Each request to a public service has its token in `x-authorization-token`.',
  ),
  'AUTH-4': clause(
    'Permission',
    'Without valid credentials the answer is 401. A caller without permission gets 403, and 405 for a method that it may not use.',
  ),
  'AUTH-5': clause(
    'Validity of tokens',
    'A token ends at its `exp`. It counts only where its algorithm, issuer and audience fit.',
  ),
  'AUTH-6': clause(
    'Attempts to log in',
    'Logins are limited for each account and each address. An unknown user and a wrong password look alike.',
  ),
  'ERR-1': clause('Statuses', 'Each status has one meaning in all services.'),
  'ERR-2': clause(
    '400 and 422',
    'What can not be read is 400. A body that can be read and breaks a rule is 422, also where a key exists already.',
  ),
  'ERR-3': clause(
    'Problems',
    'The body of an error is `application/problem+json` (RFC 9457) with a stable `code`, and everything that is wrong in `errors`.',
  ),
  'LIMIT-1': clause(
    'Rate limit',
    'Too many requests are 429. `Retry-After` says when to come back, `RateLimit` what is left.',
  ),
  'VER-1': clause(
    'Versions',
    'The version is the first segment. Several versions are served side by side. An unknown one is 404.',
  ),
  'VER-2': clause('Retired versions', 'A version that has ended is 410 without a body, whatever the request.'),
  'VER-3': clause(
    'Deprecated versions',
    'A version that will end says so in `Deprecation`, `Sunset` and a `Link` to its successor.',
  ),
} as const satisfies Readonly<Record<string, Clause>>

/** The id of a clause. */
export type ClauseId = keyof typeof clauses
