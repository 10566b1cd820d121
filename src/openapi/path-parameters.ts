/** The address of a route as a document has it, with a parameter for each key in it (PATH-1, PATH-9, PATH-11). */
import { segmentOf } from '../definition/key.js'
import { closedPlace } from '../plan/closed-schema.js'
import { keyHolders } from '../plan/route-list.js'
import type { Mounted, Route } from '../plan/routes.js'
import type { Components } from './components.js'
import type { DocumentSchema } from './document.js'
import { memberName } from './names.js'
import { typeOf } from './record-schemas.js'
import { translated } from './schemas.js'

/** A path with its parameters. */
export interface DocumentedPath {
  readonly path: string
  readonly parameters: readonly Readonly<Record<string, unknown>>[]
}

/** The path of a route. A key is named by its member, and by its resource too where another key in the path has that name. */
export function pathOf(route: Route, components: Components): DocumentedPath {
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
  return { path, parameters: holders.map((holder, i) => parameterOf(holder, names[i] as string, components)) }
}

const nameOf = ({ plan }: Mounted): string => {
  const [first = ''] = plan.key.members
  return plan.key.composite ? memberName(`${plan.definition.singular}-id`) : first
}

function parameterOf(holder: Mounted, name: string, components: Components): Readonly<Record<string, unknown>> {
  const { plan } = holder
  const { key, definition } = plan
  const described = key.composite ? compositeSchema(holder) : keySchema(holder, components)
  const description = key.composite
    ? `The identifier of one of ${plan.collection}: ${key.members.map((member) => `${member}=...`).join(',')} (PATH-9).`
    : `The identifier of one of ${plan.collection}.`
  return {
    name,
    in: 'path',
    required: true,
    description: textOf(definition.shape.members.get(key.members[0] ?? '')?.node.description) ?? description,
    schema: described,
  }
}

const textOf = (text: unknown): string | undefined => (typeof text === 'string' ? text : undefined)

/** What makes a value another record, not a request that is refused, is not said of an address: a number out of bounds is simply not there. */
function keySchema(holder: Mounted, components: Components): DocumentSchema {
  const { definition, key } = holder.plan
  const [member = ''] = key.members
  const node = closedPlace(definition.schema, definition.shape.properties.get(member) ?? {}, () => false)
  const context = {
    components,
    root: definition.schema,
    owner: `"${holder.plan.collection}"`,
    name: typeOf(holder),
    purpose: 'output' as const,
  }
  const { readOnly: _, writeOnly: __, default: ___, description: ____, title: _____, ...schema } = translated(context, node, member)
  return schema.type === 'string' && schema.minLength === undefined ? { ...schema, minLength: 1 } : schema
}

function compositeSchema({ plan }: Mounted): DocumentSchema {
  const { key, definition } = plan
  const part = (member: string): string => {
    const types = definition.shape.members.get(member)?.types
    if (types?.has('integer')) return '-?[0-9]+'
    if (types?.has('boolean')) return '(?:true|false)'
    return '[^,=]*'
  }
  return { type: 'string', pattern: `^${key.members.map((member) => `${escaped(member)}=${part(member)}`).join(',')}$` }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
