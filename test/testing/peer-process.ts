/**
 * Adapters in another process. The suite uses them as peers: further adapters over the same data.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Adapter, AdapterCall } from '../../src/adapters/contract.js'
import type { ResourceDefinition } from '../../src/definition/resource.js'

export interface PeerProcess {
  /**
   * Returns an adapter whose calls run in the other process, on a PostgreSQL adapter with these
   * options.
   */
  adapter(definition: ResourceDefinition, options: object): Adapter<unknown, unknown>
  end(): void
}

export function startPeer(url: string): PeerProcess {
  const child: ChildProcess = fork(fileURLToPath(new URL('peer-process.mjs', import.meta.url)), [url], {
    serialization: 'advanced',
    execArgv: [],
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let count = 0
  child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(result)
    else asked?.reject(new Error(error))
  })
  return {
    adapter(definition, options) {
      const ask =
        (method: string, length: number) =>
        (...args: unknown[]): Promise<unknown> =>
          new Promise((resolve, reject) => {
            const id = ++count
            waiting.set(id, { resolve, reject })
            const { scope, attachTo, fresh, idempotency } = args[length] as AdapterCall
            child.send({
              id,
              collection: definition.collection,
              options,
              method,
              args: args.slice(0, length),
              call: { scope, attachTo, fresh, idempotency },
            })
          })
      return {
        list: ask('list', 1),
        read: ask('read', 1),
        create: ask('create', 1),
        recall: ask('recall', 0),
        replace: ask('replace', 3),
        remove: ask('remove', 2),
        attach: ask('attach', 3),
        detach: ask('detach', 3),
      } as never
    },
    end: () => void child.disconnect(),
  }
}
