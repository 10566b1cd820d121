/**
 * The path of a route in a document, with a parameter for each key in the path (PATH-1, PATH-9,
 * PATH-11).
 */
import { longestId, segmentOf } from '../definition/key.js'
import { keyHolders } from '../plan/route-list.js'
import type { Mounted, Route } from '../plan/routes.js'
import type { DocumentSchema } from './document.js'
import { memberName } from './names.js'
import type { RecordSchemas } from './record-schemas.js'

/** A path with its parameters. */
export interface DocumentedPath {
  readonly path: string
  readonly parameters: readonly Readonly<Record<string, unknown>>[]
}

/** The path parameter of the docs pages: the name of a page or an asset. */
const fileParameter = {
  name: 'file',
  in: 'path',
  required: true,
  description: 'The name of a page, style sheet or script, as in the links of the pages.',
  schema: { type: 'string', minLength: 1, maxLength: longestId },
}

/**
 * Returns the path of a route. A parameter has the name of its key member, or a name such as
 * `orderId` if the key has several members. If two keys in the path have the same name, the
 * singular of the resource is prepended.
 */
export function pathOf(route: Route, records: RecordSchemas): DocumentedPath {
  if (route.document !== undefined)
    return { path: route.template, parameters: route.template.includes('{') ? [fileParameter] : [] }
  const holders = keyHolders(route)
  const plain = holders.map(nameOf)
  const names = holders.map((holder, at) =>
    plain.indexOf(plain[at] ?? '') === plain.lastIndexOf(plain[at] ?? '')
      ? (plain[at] as string)
      : memberName(`${holder.plan.definition.singular}-${plain[at]}`),
  )
  let at = 0
  const path = route.template
    .split('/')
    .map((segment) => (segment.startsWith('{') ? `{${names[at++]}}` : segmentOf(segment)))
    .join('/')
  return { path, parameters: holders.map((holder, i) => parameterOf(holder, names[i] as string, records)) }
}

const nameOf = ({ plan }: Mounted): string => {
  const [first = ''] = plan.key.members
  return plan.key.composite ? memberName(`${plan.definition.singular}-id`) : first
}

function parameterOf(holder: Mounted, name: string, records: RecordSchemas): Readonly<Record<string, unknown>> {
  const { plan } = holder
  const { key, definition } = plan
  const described = key.composite ? compositeSchema(holder) : keySchema(holder, records)
  const description = key.composite
    ? `The id of an item of ${plan.collection}: ${key.members.map((member) => `${member}=...`).join(',')} (PATH-9).`
    : `The id of an item of ${plan.collection}.`
  return {
    name,
    in: 'path',
    required: true,
    description: textOf(definition.shape.members.get(key.members[0] ?? '')?.node.description) ?? description,
    schema: described,
  }
}

const textOf = (text: unknown): string | undefined => (typeof text === 'string' ? text : undefined)

function keySchema(holder: Mounted, records: RecordSchemas): DocumentSchema {
  const [member = ''] = holder.plan.key.members
  const {
    readOnly: _,
    writeOnly: __,
    default: ___,
    description: ____,
    title: _____,
    ...schema
  } = records.keyMember(holder, member)
  const { type, minLength = 1, maxLength = longestId } = schema
  if (type !== 'string' || schema.enum !== undefined || schema.const !== undefined) return schema
  return { ...schema, minLength, maxLength }
}

function compositeSchema({ plan }: Mounted): DocumentSchema {
  const { key, definition } = plan
  const part = (member: string): string => {
    const types = definition.shape.members.get(member)?.types
    if (types?.has('integer')) return integerPart(definition.shape.properties.get(member)?.minimum)
    if (types?.has('boolean')) return '(?:true|false)'
    return '[^,=]*'
  }
  return {
    type: 'string',
    maxLength: longestId,
    pattern: `^${key.members.map((member) => `${escaped(member)}=${part(member)}`).join(',')}$`,
  }
}

/**
 * Returns the pattern of an integer in a composite key. The pattern allows only one spelling of
 * each integer. If the minimum excludes zero or negative integers, the pattern excludes them too,
 * because no item can have such a key.
 */
function integerPart(minimum: unknown): string {
  if (typeof minimum === 'number' && minimum >= 1) return '[1-9][0-9]*'
  return typeof minimum === 'number' && minimum >= 0 ? '(?:0|[1-9][0-9]*)' : '(?:0|-?[1-9][0-9]*)'
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
