/** Every kind of change between two documents of one version, by its stable id. */
import { type Difference, differenceNames, differences, type Level, levelAt, type SchemaPlace } from './findings.js'

interface Kind {
  readonly level: Level
  /** What it is, for the documentation. */
  readonly text: string
}

/** Changes of the conventions' own, and of everything but schemas. */
const ownKinds = {
  'version-retired': { level: 'breaking', text: 'A version is gone that had no sunset, or before it' },
  'version-retired-after-sunset': { level: 'harmless', text: 'A version is gone whose sunset has come' },
  'version-added': { level: 'harmless', text: 'A version is new' },
  'base-path-changed': { level: 'breaking', text: 'No server of the document has a base path that it had' },
  'path-removed': { level: 'breaking', text: 'A path is gone with all its methods' },
  'operation-removed': { level: 'breaking', text: 'A method of a path is gone' },
  'operation-removed-after-sunset': {
    level: 'harmless',
    text: 'A method is gone that was deprecated and whose sunset has come',
  },
  'operation-added': { level: 'harmless', text: 'A method or a path is new' },
  'operation-deprecated': { level: 'harmless', text: 'A method is deprecated' },
  'operation-undeprecated': { level: 'harmless', text: 'A method is no longer deprecated' },
  'sunset-brought-forward': { level: 'breaking', text: 'A sunset (`x-sunset`) is earlier than it was' },
  'sunset-removed': {
    level: 'breaking',
    text: 'What is still deprecated has lost its sunset: clients no longer know how long it lasts',
  },
  'filter-removed': { level: 'breaking', text: 'A filter of a list is gone' },
  'filter-added': { level: 'harmless', text: 'A filter of a list is new' },
  'sort-removed': { level: 'breaking', text: 'A list can no longer be sorted' },
  'sort-member-removed': { level: 'breaking', text: '`sort` no longer takes a member' },
  'sort-member-added': { level: 'harmless', text: '`sort` takes another member' },
  'expand-removed': { level: 'breaking', text: 'Nothing can be expanded any more' },
  'expansion-removed': { level: 'breaking', text: '`expand` no longer takes an association' },
  'expansion-added': { level: 'harmless', text: '`expand` takes another association' },
  'search-removed': { level: 'breaking', text: 'A list can no longer be searched (`q`)' },
  'limit-lowered': { level: 'breaking', text: 'The greatest `limit` of a list is smaller' },
  'limit-raised': { level: 'harmless', text: 'The greatest `limit` of a list is greater' },
  'limit-default-lowered': {
    level: 'breaking',
    text: 'A list has a smaller page, or no named one, where a request has no `limit`',
  },
  'limit-default-raised': { level: 'harmless', text: 'A list has a greater page where a request has no `limit`' },
  'idempotency-key-required': { level: 'breaking', text: 'A request must have an `Idempotency-Key` now' },
  'if-match-required': { level: 'breaking', text: 'A request must have an `If-Match` now (428 without it)' },
  'parameter-removed': { level: 'breaking', text: 'A parameter is gone' },
  'parameter-removed-after-sunset': {
    level: 'harmless',
    text: 'A parameter is gone that was deprecated and whose sunset has come',
  },
  'parameter-added': { level: 'harmless', text: 'An optional parameter is new' },
  'required-parameter-added': { level: 'breaking', text: 'A required parameter is new' },
  'parameter-became-required': { level: 'breaking', text: 'A parameter is required now' },
  'parameter-became-optional': { level: 'harmless', text: 'A parameter is optional now' },
  'parameter-became-many-valued': { level: 'harmless', text: 'A parameter takes several values where it took one' },
  'parameter-style-changed': {
    level: 'breaking',
    text: 'A parameter is written in another way (`style`, `explode`, `content`)',
  },
  'parameter-reserved-refused': {
    level: 'breaking',
    text: 'A parameter no longer takes reserved characters as they are (`allowReserved`)',
  },
  'parameter-reserved-allowed': { level: 'harmless', text: 'A parameter takes reserved characters as they are' },
  'parameter-empty-refused': {
    level: 'breaking',
    text: 'A parameter may no longer be sent without a value (`allowEmptyValue`)',
  },
  'parameter-empty-allowed': { level: 'harmless', text: 'A parameter may be sent without a value' },
  'path-parameter-renamed': {
    level: 'warning',
    text: 'A parameter of a path has another name: generated methods have, too',
  },
  'request-body-added': { level: 'harmless', text: 'A request may have a body now' },
  'required-request-body-added': { level: 'breaking', text: 'A request must have a body now, where it had none' },
  'request-body-removed': { level: 'breaking', text: 'A request takes no body any more' },
  'request-body-became-required': { level: 'breaking', text: 'The body of a request is required now' },
  'request-body-became-optional': { level: 'harmless', text: 'The body of a request is optional now' },
  'request-media-type-removed': { level: 'breaking', text: 'A request no longer takes a media type' },
  'request-media-type-added': { level: 'harmless', text: 'A request takes another media type' },
  'status-removed': { level: 'breaking', text: 'A success (2xx) or redirection (302) is gone' },
  'error-status-removed': { level: 'harmless', text: 'A status of a failure, or 304, is gone' },
  'status-added': { level: 'harmless', text: 'A status is new' },
  'response-media-type-removed': { level: 'breaking', text: 'An answer no longer comes in a media type' },
  'response-media-type-added': { level: 'harmless', text: 'An answer comes in another media type, too' },
  'response-header-removed': { level: 'breaking', text: 'A header field of an answer is gone' },
  'advisory-header-removed': { level: 'harmless', text: '`Deprecation` or `Sunset` is gone from an answer' },
  'response-header-added': { level: 'harmless', text: 'A header field of an answer is new' },
  'response-header-became-optional': {
    level: 'breaking',
    text: 'A header field of an answer is not always there any more',
  },
  'response-header-became-required': { level: 'harmless', text: 'A header field of an answer is always there' },
  'security-added': { level: 'breaking', text: 'Requests need credentials where they needed none' },
  'security-scheme-removed': { level: 'breaking', text: 'Credentials of one kind no longer suffice' },
  'security-scope-added': { level: 'breaking', text: 'Credentials need another scope' },
  'security-relaxed': { level: 'harmless', text: 'Requests need fewer credentials, or may have others' },
  'operation-id-changed': {
    level: 'warning',
    text: 'An operation id is another, or gone: generated clients call it by another name',
  },
  'component-removed': {
    level: 'warning',
    text: 'A schema component is gone, or has another name: generated types have, too',
  },
  'part-type-refused': {
    level: 'breaking',
    text: 'A part of a form that clients send may no longer have a media type',
  },
  'part-type-added': { level: 'harmless', text: 'A part of a form that clients send may have another media type' },
  'part-type-removed': { level: 'harmless', text: 'A part of a form that clients get no longer has a media type' },
  'part-type-unknown': { level: 'breaking', text: 'A part of a form that clients get may have another media type' },
  'part-style-changed': { level: 'breaking', text: 'A part of a form is written in another way (`style`, `explode`)' },
  'part-header-required': {
    level: 'breaking',
    text: 'A part of a form that clients send must have a header field now',
  },
  'part-header-removed': { level: 'breaking', text: 'A header field of a part that clients get is gone' },
  'response-link-removed': {
    level: 'warning',
    text: 'A link of an answer (`links`) is gone: generated clients can not follow it',
  },
  'response-link-changed': {
    level: 'warning',
    text: 'A link of an answer leads to another operation, or takes other values',
  },
  'response-link-added': { level: 'harmless', text: 'A link of an answer is new' },
  'webhook-removed': { level: 'breaking', text: 'A webhook or callback is gone' },
  'webhook-added': { level: 'harmless', text: 'A webhook or callback is new' },
  'callback-address-changed': {
    level: 'breaking',
    text: 'A callback is sent to an address that another part of the request says',
  },
  'delivery-body-removed': { level: 'breaking', text: 'A webhook or callback has no body any more' },
  'delivery-body-added': { level: 'harmless', text: 'A webhook or callback has a body now' },
  'delivery-body-became-optional': {
    level: 'breaking',
    text: 'The body of a webhook or callback is not always there any more',
  },
  'delivery-media-type-removed': { level: 'breaking', text: 'A webhook or callback no longer comes in a media type' },
  'delivery-media-type-added': {
    level: 'breaking',
    text: 'A webhook or callback may come in another media type: clients can not choose',
  },
  'delivery-parameter-removed': {
    level: 'breaking',
    text: 'A header field or parameter of a webhook or callback is gone',
  },
  'delivery-parameter-added': {
    level: 'harmless',
    text: 'A header field or parameter of a webhook or callback is new',
  },
  'delivery-parameter-became-optional': {
    level: 'breaking',
    text: 'A header field or parameter of a webhook or callback is not always there any more',
  },
  'reply-status-removed': { level: 'breaking', text: 'A webhook or callback may no longer be answered with a success' },
  'reply-status-added': { level: 'harmless', text: 'A webhook or callback may be answered with another success' },
  'reply-media-type-removed': {
    level: 'breaking',
    text: 'The answer to a webhook or callback may no longer have a media type',
  },
  'reply-media-type-added': {
    level: 'harmless',
    text: 'The answer to a webhook or callback may have another media type',
  },
} as const satisfies Record<string, Kind>

export type OwnKind = keyof typeof ownKinds

/** The id of a kind of change, such as `filter-removed` or `response-member-removed`. */
export type ContractKind = OwnKind | `${SchemaPlace}-${Difference}`

/** Places of schemas, in the order of the documentation. */
export const schemaPlaces: readonly SchemaPlace[] = ['parameter', 'request', 'response', 'header', 'delivery', 'reply']

/** How the documentation names what is in these places. */
const placeText: Readonly<Record<SchemaPlace, string>> = {
  parameter: 'A parameter',
  request: 'The body of a request, or a member of it',
  response: 'The body of an answer, or a member of it',
  header: 'A header field of an answer',
  delivery: 'What a webhook or callback brings, or a member of it',
  reply: 'What clients answer to a webhook or callback, or a member of it',
}

/** Every kind by its id. */
export const contractKinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...Object.entries(ownKinds),
  ...schemaPlaces.flatMap((place) =>
    differenceNames.map(
      (name) =>
        [
          `${place}-${name}`,
          { level: levelAt(place, name), text: `${placeText[place]} ${differences[name].says}` },
        ] as const,
    ),
  ),
])

/** The level of a kind. */
export const levelOf = (kind: OwnKind): Level => ownKinds[kind].level
