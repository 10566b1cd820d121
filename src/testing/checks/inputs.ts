/** Checks that an adapter does not modify its arguments, which may be frozen. */
import type { AdapterCall } from '../../adapters/contract.js'
import { freezeThroughout } from '../../definition/fixed.js'
import type { Check } from '../check.js'
import { ContractError, expectEqual } from '../contract-error.js'
import { listRequest } from '../requests.js'
import type { Row } from '../row.js'
import type { Stage } from '../stage.js'

/**
 * Calls the adapter with mutable arguments, and checks that the call has not changed them. Then
 * calls the adapter with frozen arguments.
 */
async function expectUntouched<I extends readonly unknown[]>(
  what: string,
  make: (round: number) => I,
  parts: Partial<AdapterCall>,
  ask: (inputs: I, call: AdapterCall) => unknown,
  stage: Stage,
): Promise<void> {
  const inputs = make(0)
  const call = stage.call(structuredClone(parts))
  const seen = (list: readonly unknown[]) => JSON.stringify(list)
  const before = seen([...inputs, call])
  await ask(inputs, call)
  expectEqual(JSON.parse(seen([...inputs, call])), JSON.parse(before), `the arguments of ${what} after the call`)
  const { signal, ...others } = stage.call(structuredClone(parts))
  try {
    await ask(freezeThroughout(make(1)), { ...freezeThroughout(others), signal })
  } catch (error) {
    if (error instanceof ContractError || !(error instanceof TypeError)) throw error
    throw new ContractError(`Expected ${what} to accept frozen values, but got the error "${error.message}".`)
  }
}

export const inputs: readonly Check[] = [
  {
    id: 'privacy/inputs',
    title: 'An adapter does not modify its arguments (values, keys, requests, scopes), and accepts frozen arguments.',
    on: 'lines',
    needs: ['create', 'replace', 'remove'],
    async run(stage) {
      const { adapter, definition } = stage
      const scope = { quantity: 1 }
      const value = (round: number): Row => ({ order: 70 + round, article: 'x', quantity: 5, label: 'new' })
      const key = (round: number) => stage.key(value(round))
      const request = () => {
        const where = [
          { field: 'quantity', op: 'in', value: [3, 1, 2] },
          { field: 'order', op: 'eq', value: 1 },
        ] as const
        return listRequest({ where, sort: '-quantity,article', size: 5 }, definition.key.members)
      }
      const keys = () => [...stage.held].reverse().map((record) => stage.key(record))
      await expectUntouched(
        'list()',
        () => [request()] as const,
        { scope },
        ([one], call) => adapter.list(one, call),
        stage,
      )
      await expectUntouched(
        'read()',
        () => [keys()] as const,
        { scope },
        ([one], call) => adapter.read(one, call),
        stage,
      )
      await expectUntouched(
        'create()',
        (n) => [value(n)] as const,
        { scope },
        ([one], call) => adapter.create?.(one, call),
        stage,
      )
      await expectUntouched(
        'replace()',
        (n) => [key(n), { ...value(n), article: 'other', label: 'changed' }] as const,
        { scope },
        ([of, next], call) => adapter.replace?.(of, next, undefined, call),
        stage,
      )
      await expectUntouched(
        'remove()',
        (n) => [key(n)] as const,
        { scope },
        ([of], call) => adapter.remove?.(of, undefined, call),
        stage,
      )
    },
  },
  {
    id: 'privacy/parents',
    title: 'An adapter does not modify parents, `attachTo` or `idempotency`.',
    on: 'contracts',
    needs: ['create', 'attach', 'detach'],
    async run(stage) {
      const { adapter } = stage
      for (const as of ['contracts', 'favourites']) {
        const parent = () => ({ collection: 'clients', key: 'ann', as })
        const value = (round: number): Row => ({ ...stage.fresh(), code: `${as}-${round}` })
        const parts = { attachTo: parent(), idempotency: { id: as, fingerprint: 'body' }, scope: { depot: 'north' } }
        await expectUntouched(
          'create()',
          (n) => [value(n)] as const,
          parts,
          ([one], call) => adapter.create?.(one, call),
          stage,
        )
        await expectUntouched(
          'attach()',
          () => [parent()] as const,
          {},
          ([to], call) => adapter.attach?.(to, 'C-1', undefined, call),
          stage,
        )
        await expectUntouched(
          'detach()',
          () => [parent()] as const,
          {},
          ([to], call) => adapter.detach?.(to, 'C-1', undefined, call),
          stage,
        )
      }
    },
  },
]
