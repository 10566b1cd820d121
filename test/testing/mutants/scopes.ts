/** Wrong adapters, with errors in the conditions of a scope. */
import type { AdapterCall, Scalar } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { ScopedMethod } from '../plain-store.js'
import { altered, type Mutant, mutant } from './mutant.js'

/**
 * A mutant that checks only those members of the scope that `heeded` returns. `methods` lists the
 * methods with this error. By default, all methods have it.
 */
const heeding = (
  name: string,
  caughtBy: readonly string[],
  heeded: (scope: [string, Scalar][]) => [string, Scalar][],
  methods?: readonly ScopedMethod[],
): Mutant =>
  mutant(
    name,
    caughtBy,
    class extends PlainAdapter {
      override inScope(row: Row, call: AdapterCall, method: ScopedMethod): boolean {
        if (methods?.includes(method) === false) return super.inScope(row, call, method)
        return super.inScope(row, { ...call, scope: Object.fromEntries(heeded(Object.entries(call.scope))) }, method)
      }
    },
  )

const plainText = (value: unknown): unknown => (typeof value === 'string' ? value.trim().toLowerCase() : value)

class ScopeInAnyCase extends PlainAdapter {
  override inScope(row: Row, { scope }: AdapterCall): boolean {
    return Object.entries(scope).every(([member, value]) => plainText(row[member]) === plainText(value))
  }
}

export const scopeMutants: readonly Mutant[] = [
  heeding(
    'checks only the first member of a scope',
    ['scope/several', 'scope/several-written', 'scope/several-attached'],
    (scope) => scope.slice(0, 1),
  ),
  heeding(
    'checks only the last member of a scope',
    ['scope/several', 'scope/several-written', 'scope/several-attached'],
    (scope) => scope.slice(-1),
  ),
  heeding(
    'checks only the first member of a scope when it counts records',
    ['scope/several'],
    (scope) => scope.slice(0, 1),
    ['count'],
  ),
  heeding(
    'checks only the first member of a scope when it removes a record',
    ['scope/several-written'],
    (scope) => scope.slice(0, 1),
    ['remove'],
  ),
  heeding(
    'checks only the first member of a scope when it detaches a record',
    ['scope/several-attached'],
    (scope) => scope.slice(0, 1),
    ['detach'],
  ),
  mutant('ignores case and surrounding spaces of the values in a scope', ['scope/exact'], ScopeInAnyCase),
  mutant(
    'lets replace() move a record out of the scope',
    ['scope/replace-kept'],
    class extends PlainAdapter {
      override scoped(row: Record<string, unknown>, { scope }: AdapterCall): Record<string, unknown> {
        return { ...scope, ...row }
      }
    },
  ),
  altered('lets attach() move a record out of the scope', ['scope/moved', 'create/attached-whole'], () => ({
    leaving: () => [],
  })),
  altered('detaches a record from the parent that the scope requires', ['scope/moved'], (base) => {
    const detach = base.detach.bind(base)
    return {
      detach: (parent: never, key: unknown, expected: undefined, call: AdapterCall) =>
        detach(parent, key, expected, base.visible(key, call, 'detach') === undefined ? call : { ...call, scope: {} }),
    }
  }),
]
