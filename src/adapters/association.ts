/** Associations as a resource declares them, for adapters: which one a parent's key means, and what holds it (PATH-7). */
import { own } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { ConfigurationError } from '../problem.js'
import type { AdapterCall, ParentKey, Scalar } from './contract.js'

export interface Association {
  readonly collection: string
  /** The segment under the parent. */
  readonly as: string
  /** The parts of the parent's key, in order. */
  readonly parts: readonly Scalar[]
  /** The members that hold the parent's key, where the record does, and what they hold when it is attached. */
  readonly by: readonly (readonly [member: string, value: Scalar])[] | undefined
}

/** The association that a parent's key belongs to. Throws `ConfigurationError` where the definition does not say that records can be attached to this parent. */
export function associationOf(
  { collection: mine, attachedTo }: ResourceDefinition,
  { collection, key, as }: ParentKey,
): Association {
  const all = attachedTo.filter(({ of }) => (typeof of === 'string' ? of : of.collection) === collection)
  // Where there is but one, its name does not matter: an older version (`adapterView`) may have another for it.
  const found = all.length === 1 ? all[0] : all.find((one) => one.as === as)
  if (found === undefined) {
    throw new ConfigurationError(
      'unmounted-parent',
      `"${mine}" can not be attached to "${collection}" as "${as}". Name it in attachedTo.`,
    )
  }
  const parts =
    typeof found.of !== 'string'
      ? found.of.key.parts(key as KeyValue)
      : typeof key === 'object' && key !== null
        ? (Object.values(key) as Scalar[])
        : [key as Scalar]
  return { collection, as: found.as, parts, by: found.by?.map((member, i) => [member, parts[i] as Scalar] as const) }
}

/** The members that hold the parent's key and that the caller's scope fixes: a record can't leave this parent and stay in the scope. */
export const fixedByScope = (
  { by }: Pick<Association, 'by'>,
  { scope }: Pick<AdapterCall, 'scope'>,
): readonly string[] => (by ?? []).map(([member]) => member).filter((member) => Object.hasOwn(scope, member))

/** The members by which attaching to this parent would move a record out of the caller's scope. */
export const leavesScope = (
  { by }: Pick<Association, 'by'>,
  { scope }: Pick<AdapterCall, 'scope'>,
): readonly string[] =>
  (by ?? [])
    .filter(([member, value]) => Object.hasOwn(scope, member) && own(scope, member) !== value)
    .map(([member]) => member)
