/**
 * Finds the association (PATH-7) that a resource declares with a parent, and the members that hold
 * the parent's key.
 */
import { own } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { ConfigurationError } from '../problem.js'
import type { AdapterCall, ParentKey, Scalar } from './contract.js'

export interface Association {
  readonly collection: string
  /** The path segment below the parent. */
  readonly as: string
  /** The parts of the parent's key, in their declared order. */
  readonly parts: readonly Scalar[]
  /**
   * The members that hold the parent's key, each with the part of the key that it holds.
   * `undefined` if the store keeps the association outside the record.
   */
  readonly by: readonly (readonly [member: string, value: Scalar])[] | undefined
}

/**
 * Returns the association of a resource with this parent. Throws `ConfigurationError` if the
 * definition does not declare that records can be attached to the parent.
 */
export function associationOf(
  { collection: mine, attachedTo }: ResourceDefinition,
  { collection, key, as }: ParentKey,
): Association {
  const all = attachedTo.filter(({ of }) => (typeof of === 'string' ? of : of.collection) === collection)
  // If the resource has only one association with this collection, `as` is not compared, because an
  // older version of the API (`adapterView`) may use another path segment.
  const found = all.length === 1 ? all[0] : all.find((one) => one.as === as)
  if (found === undefined) {
    throw new ConfigurationError(
      'unmounted-parent',
      `"${mine}" cannot be attached to "${collection}" as "${as}". Declare this association in the option ` +
        `"attachedTo" of "${mine}".`,
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

/**
 * The members that hold the parent's key and are fixed by the caller's scope. If there are any,
 * detaching a record from this parent would move the record out of the scope.
 */
export const fixedByScope = (
  { by }: Pick<Association, 'by'>,
  { scope }: Pick<AdapterCall, 'scope'>,
): readonly string[] => (by ?? []).map(([member]) => member).filter((member) => Object.hasOwn(scope, member))

/**
 * The members that hold the parent's key and that the caller's scope fixes to other values. If
 * there are any, attaching a record to this parent would move the record out of the scope.
 */
export const leavesScope = (
  { by }: Pick<Association, 'by'>,
  { scope }: Pick<AdapterCall, 'scope'>,
): readonly string[] =>
  (by ?? [])
    .filter(([member, value]) => Object.hasOwn(scope, member) && own(scope, member) !== value)
    .map(([member]) => member)
