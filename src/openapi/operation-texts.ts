/**
 * The default summaries and descriptions of operations, with the clauses that the operations
 * implement.
 */
import type { Situation } from '../plan/endings.js'

interface Text {
  readonly summary: string
  readonly description: string
}

const text = (summary: string, description: string): Text => ({ summary, description })

/**
 * The texts, keyed by operation name. `{}` stands for the name of the collection, `{parent}` for
 * the name of the parent's collection, and `{flag}` for the name of the flag.
 */
const texts: Readonly<Record<string, Text>> = {
  list: text(
    'List {}',
    'Returns a page of the matching items with their total number and links to other pages (VERB-1, QUERY-1..7).',
  ),
  create: text('Create one of {}', 'Creates an item. `Location` is its address (VERB-2).'),
  read: text(
    'Get one of {}',
    'Returns the item with links to associated items. `expand` embeds them in full (VERB-1, REP-1, REP-2).',
  ),
  replace: text(
    'Replace one of {}',
    'Replaces the item except its id and its read-only members (VERB-3). `If-Match` prevents lost updates (HDR-3).',
  ),
  patch: text(
    'Change one of {}',
    'Changes the members in the body. null removes a member or sets it to null (VERB-5). ' +
      '`If-Match` prevents lost updates (HDR-3).',
  ),
  remove: text('Delete one of {}', 'Deletes the item. Afterwards, its address responds with 404 (VERB-6).'),
  listMembers: text(
    'List the {} of one of {parent}',
    'Returns a page of the items in this sub-collection of the parent (VERB-1, PATH-7).',
  ),
  createMember: text(
    'Create one of {} for one of {parent}',
    'Creates an item and adds it to this sub-collection. `Location` is its own address (VERB-2, PATH-7).',
  ),
  readMember: text(
    'Get one of the {} of one of {parent}',
    'Returns the item if it is in this sub-collection. `Content-Location` is its own address (PATH-7).',
  ),
  attach: text(
    'Add one of {} to one of {parent}',
    'Adds an existing item to this sub-collection. There is no body (VERB-4).',
  ),
  detach: text(
    'Remove one of {} from one of {parent}',
    'Removes the item from this sub-collection. The item itself is not deleted (VERB-4).',
  ),
  readFlag: text('Read {flag} of one of {}', 'Responds with 204 if the flag is set, with 404 if it is not (PATH-8).'),
  setFlag: text('Set {flag} of one of {}', 'Sets the flag. The operation is idempotent (PATH-8).'),
  unsetFlag: text('Unset {flag} of one of {}', 'Unsets the flag. The operation is idempotent (PATH-8).'),
  describe: text(
    'Describe the version',
    'Returns the OpenAPI document of this version, in JSON or YAML, depending on `Accept`.',
  ),
  readDocs: text('Read the documentation of the version', 'HTML pages about this version, and their assets.'),
  options: text(
    'List the methods of this address',
    'Returns, in `Allow`, the methods that the caller may use (VERB-9).',
  ),
}

/** The texts of HEAD, whose response differs from that of GET (VERB-8). */
const headTexts: Readonly<Record<string, Text>> = {
  list: text(
    'Count {}',
    'The header fields of the list, without a body. `x-total-count` is the number of matching items (VERB-8, QUERY-7).',
  ),
  listMembers: text(
    'Count the {} of one of {parent}',
    'The header fields of the list, without a body. `x-total-count` is the number of matching items (VERB-8, QUERY-7).',
  ),
  read: text(
    'Check whether one of {} exists',
    'Responds with 302 if the item exists, with 404 if it does not. There is no body (VERB-8).',
  ),
  readMember: text(
    'Check whether one of the {} of one of {parent} exists',
    'Responds with 302 if the item is in this sub-collection, with 404 if it is not. There is no body (VERB-8).',
  ),
  readFlag: text(
    'Check {flag} of one of {}',
    'Responds with 302 if the flag is set, with 404 if it is not. There is no body (VERB-8).',
  ),
}

/** Returns the summary of an operation. */
export function summaryOf(situation: Situation): string {
  const { method, route, operation } = situation
  const { resource, endpoint, association, template } = route
  if (endpoint !== undefined && operation.method !== 'OPTIONS') return `${method} ${endpoint.name}`
  return textOf(situation)
    .summary.replace('{}', resource?.plan.collection ?? '')
    .replace('{parent}', association?.parent.plan.collection ?? '')
    .replace('{flag}', `\`${template.split('/').at(-1)}\``)
}

/** Returns the description of an operation. An endpoint declares its own description. */
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
