/**
 * Checks the links of a resource: their targets, the members that hold the keys of the targets, and
 * the members of the targets that the links show (REP-1).
 */

import { hasBrand } from '../brand.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { ConfigurationError } from '../problem.js'
import { isObject } from './json.js'
import { NamedMembers } from './named-members.js'
import type { Link, ResourceDefinition } from './resource.js'
import type { ExternalLinkOptions, LinkOptions, SubLinkOptions, ToLinkOptions } from './resource-options.js'
import type { Shape } from './shape.js'

/** The inputs for resolving the links of one resource. */
export interface Context {
  readonly collection: string
  readonly shape: Shape
  readonly members: NamedMembers
  readonly kept: ReadonlySet<string>
}

/**
 * The members that stay in bodies even if links are built from them. These are the members of the
 * key, and the members that hold the parent's key.
 */
export const keptMembers = (key: readonly string[], parent: ResourceDefinition['parent']): ReadonlySet<string> =>
  new Set([...key, ...(parent?.by ?? [])])

/**
 * Returns the target of a declaration: a definition, or the name of a collection. Throws
 * `ConfigurationError` for any other value.
 */
export function resolveTarget(what: string, given: unknown): ResourceDefinition | string {
  if (typeof given === 'string' && given !== '') return given
  if (isObject(given) && hasBrand('resource', given)) return given as unknown as ResourceDefinition
  throw new ConfigurationError(
    'unresolved-link',
    `${what} has ${given === undefined ? 'no target' : 'a target that is not a resource'}. ` +
      'Give a definition, or the name of a collection if two definitions refer to each other.',
  )
}

export const toLinkKinds: Kinds<ToLinkOptions> = {
  to: 'any',
  by: { required: 'names' },
  show: { each: 'string' },
  expand: 'boolean',
}
export const subLinkKinds: Kinds<SubLinkOptions> = { sub: { required: 'string' } }
export const externalLinkKinds: Kinds<ExternalLinkOptions> = { external: { oneOf: [true] } }

/** Returns one or several names as a list. Their types have already been checked. */
export const namesOf = (given: string | readonly string[]): readonly string[] =>
  Object.freeze(typeof given === 'string' ? [given] : [...given])

export function resolveLink(context: Context, name: string, options: LinkOptions): Link {
  const what = `The link "${name}" of "${context.collection}"`
  const checked = <O>(kinds: Kinds<O>): O =>
    checkOptions<O>(`the link "${name}" of "${context.collection}"`, options, kinds as Kinds<NoInfer<O>>)
  if (Object.hasOwn(options, 'sub')) {
    const { sub } = checked(subLinkKinds)
    if (context.shape.properties.has(name)) throw takenName(what)
    return Object.freeze({ kind: 'sub', name, sub })
  }
  if ('external' in options && options.external === true) {
    checked(externalLinkKinds)
    const shape = context.members.visible(`links.${name}`, [name])
    if (shape.types.size > 0 && !shape.isObject) {
      throw new ConfigurationError(
        'unsuitable-member',
        `${what} is external, but "${name}" is not an object with an href. Declare the member as such an object.`,
      )
    }
    return Object.freeze({ kind: 'external', name })
  }
  return resolveLinkTo(context, name, what, checked(toLinkKinds))
}

function resolveLinkTo(
  { collection, shape, members, kept }: Context,
  name: string,
  what: string,
  options: ToLinkOptions,
): Link {
  const by = namesOf(options.by)
  for (const member of by) members.keyPart(`links.${name}.by`, member)
  // A link replaces the members from which it is built, so it may have the name of one of these
  // members, unless that member is in `kept`. It must not have the name of any other member.
  if (shape.properties.has(name) && (!by.includes(name) || kept.has(name))) throw takenName(what)
  const link = Object.freeze({
    kind: 'to' as const,
    name,
    to: resolveTarget(what, options.to),
    by,
    show: Object.freeze([...(options.show ?? [])]),
    expand: options.expand ?? true,
  })
  if (typeof link.to !== 'string') checkShown(collection, link, link.to)
  return link
}

const takenName = (what: string): ConfigurationError =>
  new ConfigurationError(
    'unsuitable-member',
    `${what} has the name of a stored member that the link does not replace. Give the link another name.`,
  )

/** Throws `ConfigurationError` if a link shows members that its target lacks or never sends. */
export function checkShown(collection: string, link: Extract<Link, { kind: 'to' }>, target: ResourceDefinition): void {
  const members = new NamedMembers(collection, target.shape, `"${target.collection}"`)
  for (const member of link.show) {
    if (member === 'href') {
      throw new ConfigurationError(
        'unsuitable-member',
        `The link "${link.name}" of "${collection}" shows "href", which every link has. Leave it out.`,
      )
    }
    members.visible(`links.${link.name}.show`, [member])
  }
}
