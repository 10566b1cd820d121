/**
 * The versions of a service, and the definitions for which the mock needs records. Several mounts
 * may share the same records. For example, a view (`adapterView`) serves an older version from the
 * records of a newer version.
 */
import { type AdapterViewOptions, adapterView, viewOf } from '../adapters/view.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { ServiceDescription } from '../plan/description.js'
import { type AnyAdapter, isMount, type Mount } from '../plan/mount.js'
import { compileResource } from '../plan/resource-plan.js'
import type { Validate } from '../plan/validator.js'
import type { ApiOptions, VersionOptions } from '../router/api.js'

/** One version, as it was given to `api()`. */
export interface GivenVersion {
  readonly name: string
  readonly options: VersionOptions
  readonly mounts: readonly Mount[]
}

/** The versions of a service that are not retired. */
export function versionsOf({ versions }: ApiOptions): readonly GivenVersion[] {
  return Object.entries(versions).flatMap(([name, entry]) => {
    if (entry === 'retired') return []
    const options: VersionOptions = 'resources' in entry ? entry : { resources: entry }
    return [{ name, options, mounts: options.resources.filter(isMount) }]
  })
}

/**
 * The definition to which the records of a mount belong, and the views between the mount and these
 * records.
 */
export interface Origin {
  readonly definition: ResourceDefinition
  /** The views, from the outermost to the innermost. */
  readonly views: readonly AdapterViewOptions[]
}

export class Sources {
  readonly #origins = new Map<Mount, Origin>()
  readonly #versions: readonly GivenVersion[]

  constructor(versions: readonly GivenVersion[]) {
    this.#versions = versions
    const mounts = versions.flatMap((version) => version.mounts)
    for (const mount of mounts) {
      const views: AdapterViewOptions[] = []
      let adapter: object = mount.adapter
      for (let view = viewOf(adapter); view !== undefined; view = viewOf(adapter)) {
        views.push(view.options)
        adapter = view.under
      }
      const under = mounts.find((other) => other.adapter === adapter && views.length > 0)
      this.#origins.set(
        mount,
        under === undefined ? { definition: mount.definition, views: [] } : { definition: under.definition, views },
      )
    }
  }

  /** Every definition that has its own records. */
  get definitions(): readonly ResourceDefinition[] {
    return [...new Set([...this.#origins.values()].map(({ definition }) => definition))]
  }

  originOf(mount: Mount): Origin {
    return this.#origins.get(mount) as Origin
  }

  /** The mounts that serve the records of a definition directly, without a view. */
  mountsOf(definition: ResourceDefinition): readonly Mount[] {
    return [...this.#origins].flatMap(([mount, origin]) =>
      origin.definition === definition && origin.views.length === 0 ? [mount] : [],
    )
  }

  /**
   * Returns the definitions that a definition may refer to, by collection. The definition of a
   * collection comes from the first version that has both this collection and the given definition.
   */
  leadsTo(definition: ResourceDefinition): ReadonlyMap<string, ResourceDefinition> {
    const found = new Map<string, ResourceDefinition>()
    for (const { mounts } of this.#versions) {
      if (!mounts.some((mount) => this.originOf(mount).definition === definition)) continue
      for (const mount of mounts) {
        const { collection } = mount.definition
        if (!found.has(collection)) found.set(collection, this.originOf(mount).definition)
      }
    }
    return found
  }
}

/** Wraps an adapter in views. The first view in the list becomes the outermost. */
export const viewed = (adapter: AnyAdapter, views: readonly AdapterViewOptions[]): AnyAdapter =>
  views.reduceRight<AnyAdapter>((under, options) => adapterView(under, options) as AnyAdapter, adapter)

/**
 * Returns a function that returns the validator of a definition. Validators that the service has
 * compiled are reused.
 */
export function validatorsOf({ versions }: ServiceDescription): (definition: ResourceDefinition) => Validate {
  const known = new Map<ResourceDefinition, Validate>()
  for (const version of versions.values()) {
    if (version === 'retired') continue
    for (const { plan } of version.table.resources) known.set(plan.definition, plan.validate)
  }
  return (definition) => known.get(definition) ?? compileResource(definition).validate
}
