/** The kinds of changes of a contract. Each kind has a stable id. */
import { type Difference, differenceNames, differences, type Level, levelAt, type SchemaPlace } from './findings.js'

interface Kind {
  readonly level: Level
  /** The description in the documentation. */
  readonly text: string
}

/** The kinds of changes outside of schemas. Some of them concern the conventions. */
const ownKinds = {
  'version-retired': { level: 'breaking', text: 'A version was removed before its sunset, or without a sunset' },
  'version-retired-after-sunset': { level: 'harmless', text: 'A version was removed after its sunset' },
  'version-added': { level: 'harmless', text: 'A version is new' },
  'base-path-changed': { level: 'breaking', text: 'The base path of the servers is different' },
  'path-removed': { level: 'breaking', text: 'A path was removed with all its methods' },
  'operation-removed': { level: 'breaking', text: 'A method of a path was removed' },
  'operation-removed-after-sunset': {
    level: 'harmless',
    text: 'A method was removed after its sunset, or after the sunset of the version',
  },
  'operation-added': { level: 'harmless', text: 'A method or a path is new' },
  'operation-deprecated': { level: 'harmless', text: 'A method is deprecated' },
  'operation-undeprecated': { level: 'harmless', text: 'A method is no longer deprecated' },
  'sunset-brought-forward': { level: 'breaking', text: 'A sunset (`x-sunset`) is earlier than it was' },
  'sunset-removed': {
    level: 'breaking',
    text: 'A version, method or parameter is still deprecated, but has no sunset now: clients no longer know the date',
  },
  'filter-removed': { level: 'breaking', text: 'A filter of a list was removed' },
  'filter-added': { level: 'harmless', text: 'A filter of a list is new' },
  'sort-removed': { level: 'breaking', text: 'A list can no longer be sorted' },
  'sort-member-removed': { level: 'breaking', text: 'A list can no longer be sorted by one of the members' },
  'sort-member-added': { level: 'harmless', text: 'A list can be sorted by a further member' },
  'expand-removed': { level: 'breaking', text: 'The parameter `expand` was removed' },
  'expansion-removed': { level: 'breaking', text: 'One of the associations can no longer be expanded' },
  'expansion-added': { level: 'harmless', text: 'A further association can be expanded' },
  'search-removed': { level: 'breaking', text: 'A list can no longer be searched (`q`)' },
  'limit-lowered': { level: 'breaking', text: 'The maximum `limit` of a list is lower' },
  'limit-raised': { level: 'harmless', text: 'The maximum `limit` of a list is higher' },
  'limit-default-lowered': { level: 'breaking', text: 'The default of `limit` is lower' },
  'limit-default-raised': { level: 'harmless', text: 'The default of `limit` is higher' },
  'idempotency-key-required': { level: 'breaking', text: 'A request must have an `Idempotency-Key` now' },
  'if-match-required': { level: 'breaking', text: 'A request must have an `If-Match` now (428 without it)' },
  'parameter-removed': { level: 'breaking', text: 'A parameter was removed' },
  'parameter-removed-after-sunset': {
    level: 'harmless',
    text: 'A deprecated parameter was removed after its sunset',
  },
  'parameter-added': { level: 'harmless', text: 'An optional parameter is new' },
  'required-parameter-added': { level: 'breaking', text: 'A required parameter is new' },
  'parameter-became-required': { level: 'breaking', text: 'A parameter is required now' },
  'parameter-became-optional': { level: 'harmless', text: 'A parameter is optional now' },
  'parameter-became-many-valued': { level: 'harmless', text: 'A parameter accepts several values instead of one' },
  'parameter-style-changed': {
    level: 'breaking',
    text: 'A parameter is serialized differently (`style`, `explode`, `content`)',
  },
  'parameter-reserved-refused': {
    level: 'breaking',
    text: 'A parameter no longer accepts unencoded reserved characters (`allowReserved`)',
  },
  'parameter-reserved-allowed': { level: 'harmless', text: 'A parameter accepts unencoded reserved characters' },
  'parameter-empty-refused': {
    level: 'breaking',
    text: 'A parameter may no longer be sent without a value (`allowEmptyValue`)',
  },
  'parameter-empty-allowed': { level: 'harmless', text: 'A parameter may be sent without a value' },
  'path-parameter-renamed': {
    level: 'warning',
    text: 'A path parameter has another name: the signatures of generated methods change',
  },
  'request-body-added': { level: 'harmless', text: 'A request may have a body now' },
  'required-request-body-added': { level: 'breaking', text: 'A request must have a body now, where it had none' },
  'request-body-removed': { level: 'breaking', text: 'A request no longer accepts a body' },
  'request-body-became-required': { level: 'breaking', text: 'The body of a request is required now' },
  'request-body-became-optional': { level: 'harmless', text: 'The body of a request is optional now' },
  'request-media-type-removed': { level: 'breaking', text: 'A request no longer accepts one of its media types' },
  'request-media-type-added': { level: 'harmless', text: 'A request accepts a further media type' },
  'status-removed': { level: 'breaking', text: 'A success status, or a redirection status except 304, was removed' },
  'error-status-removed': { level: 'harmless', text: 'An error status, or 304, was removed' },
  'status-added': { level: 'harmless', text: 'A status is new' },
  'response-media-type-removed': {
    level: 'breaking',
    text: 'A response is no longer available in one of its media types',
  },
  'response-media-type-added': { level: 'harmless', text: 'A response is available in a further media type' },
  'response-header-removed': { level: 'breaking', text: 'A header field of a response was removed' },
  'advisory-header-removed': { level: 'harmless', text: '`Deprecation` or `Sunset` was removed from a response' },
  'response-header-added': { level: 'harmless', text: 'A header field of a response is new' },
  'response-header-became-optional': {
    level: 'breaking',
    text: 'A header field of a response is no longer always present',
  },
  'response-header-became-required': { level: 'harmless', text: 'A header field of a response is always present' },
  'security-added': { level: 'breaking', text: 'Requests need credentials now; before, they did not' },
  'security-scheme-removed': { level: 'breaking', text: 'Some credentials are no longer accepted' },
  'security-scope-added': { level: 'breaking', text: 'Credentials need a further scope' },
  'security-relaxed': { level: 'harmless', text: 'Requests need fewer credentials, or may use other credentials' },
  'operation-id-changed': {
    level: 'warning',
    text: 'An operation id was changed or removed: generated methods have another name',
  },
  'component-removed': {
    level: 'warning',
    text: 'A schema component was removed or renamed: generated types lose its name',
  },
  'part-type-refused': {
    level: 'breaking',
    text: 'A part of a form that clients send may no longer have one of its media types',
  },
  'part-type-added': { level: 'harmless', text: 'A part of a form that clients send may have a further media type' },
  'part-type-removed': {
    level: 'harmless',
    text: 'In a form that clients get, a part can no longer have one of its media types',
  },
  'part-type-unknown': { level: 'breaking', text: 'A part of a form that clients get may have a further media type' },
  'part-style-changed': { level: 'breaking', text: 'A part of a form is serialized differently (`style`, `explode`)' },
  'part-header-required': {
    level: 'breaking',
    text: 'A part of a form that clients send must have a header field now',
  },
  'part-header-removed': { level: 'breaking', text: 'A header field of a part that clients get was removed' },
  'response-link-removed': {
    level: 'warning',
    text: "A link of a response (`links`) was removed: generated clients can't follow it",
  },
  'response-link-changed': {
    level: 'warning',
    text: 'A link of a response has another target or other parameters',
  },
  'response-link-added': { level: 'harmless', text: 'A link of a response is new' },
  'webhook-removed': { level: 'breaking', text: 'A webhook or callback was removed' },
  'webhook-added': { level: 'harmless', text: 'A webhook or callback is new' },
  'callback-address-changed': {
    level: 'breaking',
    text: 'The URL of a callback is taken from another part of the request',
  },
  'delivery-body-removed': { level: 'breaking', text: 'A webhook or callback no longer has a body' },
  'delivery-body-added': { level: 'harmless', text: 'A webhook or callback has a body now' },
  'delivery-body-became-optional': {
    level: 'breaking',
    text: 'The body of a webhook or callback is no longer always present',
  },
  'delivery-media-type-removed': {
    level: 'breaking',
    text: 'A webhook or callback is no longer sent in one of its media types',
  },
  'delivery-media-type-added': {
    level: 'breaking',
    text: "A webhook or callback may be sent in a further media type, and clients can't choose the type",
  },
  'delivery-parameter-removed': {
    level: 'breaking',
    text: 'A header field or parameter of a webhook or callback was removed',
  },
  'delivery-parameter-added': {
    level: 'harmless',
    text: 'A header field or parameter of a webhook or callback is new',
  },
  'delivery-parameter-became-optional': {
    level: 'breaking',
    text: 'A header field or parameter of a webhook or callback is no longer always present',
  },
  'reply-status-removed': {
    level: 'breaking',
    text: 'One of the success statuses is no longer accepted as a reply to a webhook or callback',
  },
  'reply-status-added': {
    level: 'harmless',
    text: 'A further success status is accepted as a reply to a webhook or callback',
  },
  'reply-media-type-removed': {
    level: 'breaking',
    text: 'The reply to a webhook or callback may no longer have one of its media types',
  },
  'reply-media-type-added': {
    level: 'harmless',
    text: 'The reply to a webhook or callback may have a further media type',
  },
} as const satisfies Record<string, Kind>

export type OwnKind = keyof typeof ownKinds

/** The id of a kind of change, such as `filter-removed` or `response-member-removed`. */
export type ContractKind = OwnKind | `${SchemaPlace}-${Difference}`

/** The uses of schemas, in the order of the documentation. */
export const schemaPlaces: readonly SchemaPlace[] = ['parameter', 'request', 'response', 'header', 'delivery', 'reply']

/**
 * The subject of a description, for each use of a schema. The description is a sentence that
 * consists of this subject and of a predicate from `differences`.
 */
const placeText: Readonly<Record<SchemaPlace, string>> = {
  parameter: 'A parameter',
  request: 'The body of a request, or a member of it',
  response: 'The body of a response, or a member of it',
  header: 'A header field of a response',
  delivery: 'The content of a webhook or callback, or a member of it',
  reply: 'The reply to a webhook or callback, or a member of it',
}

/** Every kind, keyed by its id. */
export const contractKinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...Object.entries(ownKinds),
  ...schemaPlaces.flatMap((place) =>
    differenceNames.map(
      (name) =>
        [
          `${place}-${name}`,
          { level: levelAt(place, name), text: `${placeText[place]} ${differences[name].predicate}` },
        ] as const,
    ),
  ),
])

/** Returns the level of a kind. */
export const levelOf = (kind: OwnKind): Level => ownKinds[kind].level
