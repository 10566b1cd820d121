/**
 * The schemas of the members of resources. In these schemas, objects are closed: they allow no
 * undeclared members. A schema that is the same for every purpose (responses, and the bodies of
 * POST, PUT and PATCH) is built once.
 */
import type { JsonSchema } from '../definition/schema-types.js'
import { closedPlace } from '../plan/closed-schema.js'
import type { Mounted } from '../plan/routes.js'
import type { Components } from './components.js'
import type { DocumentSchema } from './document.js'
import { typeName } from './names.js'
import { isSameForAllPurposes, nullable, type Purpose } from './purposes.js'
import { memberSchema, type SchemaContext, translated } from './schemas.js'

/** Returns the name of the type of a resource's items. */
export const typeOf = ({ plan }: Mounted): string => typeName(plan.definition.singular) || typeName(plan.collection)

/** The cached parts of one resource. */
interface CachedResource {
  /** The name of the resource in messages. */
  readonly owner: string
  readonly type: string
  readonly members: Map<string, Member | undefined>
}

interface Member {
  readonly node: JsonSchema
  /** Whether the schema is the same for every purpose. */
  readonly isSame: boolean
  /** The schema, if it is the same for every purpose. It is built on first use. */
  same?: DocumentSchema
}

/** Builds the schemas of members. */
export class MemberSchemas {
  readonly #components: Components
  /** The suffix of all type names. */
  readonly #suffix: string
  readonly #known = new Map<Mounted, CachedResource>()

  constructor(components: Components, suffix = '') {
    this.#components = components
    this.#suffix = suffix
  }

  /** Returns the name of a resource in messages, and the name of its type. */
  namesOf(mounted: Mounted): Pick<CachedResource, 'owner' | 'type'> {
    return this.#knownOf(mounted)
  }

  /**
   * Returns the schema of a member for a purpose, or `undefined` if the resource has no such
   * member. `required`: whether a complete record must have the member.
   */
  of(mounted: Mounted, purpose: Purpose, name: string, required: boolean): DocumentSchema | undefined {
    const member = this.#memberOf(mounted, name)
    if (member === undefined) return undefined
    if (!member.isSame) return memberSchema(this.context(mounted, purpose), member.node, required, name)
    member.same ??= translated(this.context(mounted, purpose), member.node, name)
    return purpose === 'patch' && !required ? nullable(member.same) : member.same
  }

  /** Returns the context in which schemas of a resource are built for a purpose. */
  context(mounted: Mounted, purpose: Purpose): SchemaContext {
    const { owner, type } = this.#knownOf(mounted)
    return { components: this.#components, root: mounted.plan.definition.schema, owner, name: type, purpose }
  }

  #knownOf(mounted: Mounted): CachedResource {
    const known = this.#known.get(mounted)
    if (known !== undefined) return known
    const made: CachedResource = {
      owner: `"${mounted.plan.collection}"`,
      type: `${typeOf(mounted)}${this.#suffix}`,
      members: new Map(),
    }
    this.#known.set(mounted, made)
    return made
  }

  #memberOf(mounted: Mounted, name: string): Member | undefined {
    const { members } = this.#knownOf(mounted)
    if (members.has(name)) return members.get(name)
    const { schema, shape } = mounted.plan.definition
    const given = shape.properties.get(name)
    // A schema that is the same for every purpose contains no objects, so there is nothing to
    // close.
    const isSame = given !== undefined && isSameForAllPurposes(given)
    const member =
      given === undefined ? undefined : { node: isSame ? given : closedPlace(schema, given, () => false), isSame }
    members.set(name, member)
    return member
  }
}
