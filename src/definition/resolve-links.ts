/** The links of a resource, checked: whom they lead to, by which members, and what they show (REP-1). */
import { ConfigurationError } from '../problem.js'
import { isObject } from './json.js'
import { knownOptions, listOption, namesOption, tableOption, textOption } from './known-options.js'
import { NamedMembers } from './named-members.js'
import type { Link, ResourceDefinition } from './resource.js'
import type { SubLinkOptions, ToLinkOptions } from './resource-options.js'
import { Shape } from './shape.js'

/** What the resolving of one resource stands on. */
export interface Context {
  readonly collection: string
  readonly shape: Shape
  readonly members: NamedMembers
  readonly kept: ReadonlySet<string>
}

/** The members that stay on the wire whatever links are made of them: those of the key and the parent's. */
export const keptMembers = (key: readonly string[], parent: ResourceDefinition['parent']): ReadonlySet<string> =>
  new Set([...key, ...(parent?.by ?? [])])

/** Whom a declaration leads to: a definition, or the name of a collection. */
export function resolveTarget(what: string, given: unknown): ResourceDefinition | string {
  if (typeof given === 'string' && given !== '') return given
  if (isObject(given) && given.shape instanceof Shape) return given as unknown as ResourceDefinition
  throw new ConfigurationError(
    'unresolved-link',
    `${what} leads to ${given === undefined ? 'undefined' : 'no resource'}. Give a definition, or the collection's name where two definitions refer to each other.`,
  )
}

const toOptions: Readonly<Record<keyof ToLinkOptions, true>> = { to: true, by: true, show: true, expand: true }

export function resolveLink(context: Context, name: string, given: unknown): Link {
  const what = `The link "${name}" of "${context.collection}"`
  const options = tableOption(what, given)
  if (Object.hasOwn(options, 'sub')) {
    const { sub } = knownOptions(what, given, { sub: true }) as unknown as SubLinkOptions
    if (context.shape.properties.has(name)) throw takenName(what)
    return Object.freeze({ kind: 'sub', name, sub: textOption(`sub of ${what}`, sub) })
  }
  if (options.external === true) {
    knownOptions(what, given, { external: true })
    const shape = context.members.visible(`links.${name}`, [name])
    if (shape.types.size > 0 && !shape.isObject) {
      throw new ConfigurationError('unsuitable-member', `${what} is external, but "${name}" is no object with an href. Describe it as one.`)
    }
    return Object.freeze({ kind: 'external', name })
  }
  return resolveLinkTo(context, name, what, knownOptions(what, given, toOptions) as unknown as ToLinkOptions)
}

function resolveLinkTo({ collection, shape, members, kept }: Context, name: string, what: string, options: ToLinkOptions): Link {
  const by = namesOption(`by of ${what}`, options.by)
  for (const member of by) members.scalar(`links.${name}.by`, [member])
  // A link stands in the place of the members it is made of; another member of its name would stand there too.
  if (shape.properties.has(name) && (!by.includes(name) || kept.has(name))) throw takenName(what)
  const link = Object.freeze({
    kind: 'to' as const,
    name,
    to: resolveTarget(what, options.to),
    by,
    show: listOption(`show of ${what}`, options.show),
    expand: options.expand ?? true,
  })
  if (typeof link.to !== 'string') checkShown(collection, link, link.to)
  return link
}

const takenName = (what: string): ConfigurationError =>
  new ConfigurationError('unsuitable-member', `${what} has the name of a member that stays on the wire. Give the link another name.`)

/** Throws `ConfigurationError` where a link shows what its target does not have or must not tell. */
export function checkShown(collection: string, link: Extract<Link, { kind: 'to' }>, target: ResourceDefinition): void {
  const members = new NamedMembers(collection, target.shape, `"${target.collection}"`)
  for (const member of link.show) {
    if (member === 'href') {
      throw new ConfigurationError(
        'unsuitable-member',
        `The link "${link.name}" of "${collection}" shows "href", which it has already. Leave it out.`,
      )
    }
    members.visible(`links.${link.name}.show`, [member])
  }
}
