/** What a document says of an operation where its team says nothing: what it does, by which clause. */
import type { Situation } from '../plan/endings.js'

interface Text {
  readonly summary: string
  readonly description: string
}

const text = (summary: string, description: string): Text => ({ summary, description })

/** By the name of the operation. `{}` is the collection, `{parent}` that of the parent. */
const texts: Readonly<Record<string, Text>> = {
  list: text(
    'List {}',
    'A page of the items that match, with the number of all of them and links to the other pages (VERB-1, QUERY-1..7).',
  ),
  create: text('Create one of {}', 'Creates an item; `Location` is its address (VERB-2).'),
  read: text(
    'Get one of {}',
    'The item with links to what it refers to; `expand` puts those in full (VERB-1, REP-1, REP-2).',
  ),
  replace: text(
    'Replace one of {}',
    'Replaces the whole item; its id stays (VERB-3). `If-Match` guards against changes of others (HDR-3).',
  ),
  patch: text(
    'Change one of {}',
    'Changes the members that are sent; null removes, or sets null (VERB-5). `If-Match` guards against changes of others (HDR-3).',
  ),
  remove: text('Delete one of {}', 'Deletes the item. Afterwards it answers 404 (VERB-6).'),
  listMembers: text(
    'List the {} of one of {parent}',
    'A page of the items that are in this collection of their parent (VERB-1, PATH-7).',
  ),
  createMember: text(
    'Create one of {} for one of {parent}',
    'Creates an item and puts it into this collection; `Location` is its own address (VERB-2, PATH-7).',
  ),
  readMember: text(
    'Get one of the {} of one of {parent}',
    'The item, where it is in this collection; `Content-Location` is its own address (PATH-7).',
  ),
  attach: text(
    'Put one of {} into one of {parent}',
    'Puts an item that exists into this collection. There is no body (VERB-4).',
  ),
  detach: text(
    'Take one of {} out of one of {parent}',
    'Takes the item out of this collection; the item itself stays (VERB-4).',
  ),
  readFlag: text('Ask whether one of {} is {flag}', '204 where the flag is set, 404 where it is not (PATH-8).'),
  setFlag: text('Set {flag} of one of {}', 'Sets the flag; setting it again changes nothing (PATH-8).'),
  unsetFlag: text('Unset {flag} of one of {}', 'Unsets the flag; unsetting it again changes nothing (PATH-8).'),
  describe: text('Describe the version', 'The OpenAPI document of this version, in JSON or YAML by `Accept`.'),
  readDocs: text('Read about the version', 'Pages for people about this version, and what they load.'),
  options: text('List the methods of this address', 'The methods that the caller may use here, in `Allow` (VERB-9).'),
}

/** The same of HEAD, whose answer differs from that of GET (VERB-8). */
const headTexts: Readonly<Record<string, Text>> = {
  list: text(
    'Count {}',
    'The header fields of the list without a body: `x-total-count` is how many items match (VERB-8, QUERY-7).',
  ),
  listMembers: text(
    'Count the {} of one of {parent}',
    'The header fields of the list without a body: `x-total-count` is how many items match (VERB-8, QUERY-7).',
  ),
  read: text('Check for one of {}', '302 where the item exists, 404 where it does not. There is no body (VERB-8).'),
  readMember: text(
    'Check for one of the {} of one of {parent}',
    '302 where the item is in this collection, 404 where it is not. There is no body (VERB-8).',
  ),
  readFlag: text(
    'Check whether one of {} is {flag}',
    '302 where the flag is set, 404 where it is not. There is no body (VERB-8).',
  ),
}

/** One line on an operation. */
export function summaryOf(situation: Situation): string {
  const { method, route, operation } = situation
  const { resource, endpoint, association, template } = route
  if (endpoint !== undefined && operation.method !== 'OPTIONS') return `${method} ${endpoint.name}`
  return textOf(situation)
    .summary.replace('{}', resource?.plan.collection ?? '')
    .replace('{parent}', association?.parent.plan.collection ?? '')
    .replace('{flag}', `\`${template.split('/').at(-1)}\``)
}

/** Several lines on an operation: an endpoint says what it is for. */
export function descriptionOf(situation: Situation): string {
  const { route, operation } = situation
  if (route.endpoint !== undefined && operation.method !== 'OPTIONS') return route.endpoint.description
  return textOf(situation).description
}

function textOf({ method, operation, route }: Situation): Text {
  if (operation.name === 'describe' && route.document?.pages !== undefined) return texts.readDocs as Text
  const own = method === 'HEAD' ? headTexts[operation.name] : undefined
  return own ?? texts[operation.name] ?? text(operation.name, operation.name)
}
