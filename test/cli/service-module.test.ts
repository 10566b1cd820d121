import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadModule, serviceOf } from '../../src/cli/service-module.js'
import { put, temporaryFolder } from './repository.js'

/** Loads the service of a module with this source text. */
async function load(text: string, name = 'api.mjs', timeout = 30_000): Promise<object> {
  const folder = temporaryFolder()
  put(folder, name, text)
  return serviceOf(await loadModule(join(folder, name), timeout), name)
}

describe('the module of a service', () => {
  it.each([
    ['its default export', 'export default function service() {}', 'api.mjs'],
    ['its export "api"', 'export const api = function service() {}\nexport default {}', 'api.mjs'],
    ['the default export of a CommonJS module', 'module.exports = function service() {}', 'api.cjs'],
    ['the export "api" of a CommonJS module', 'exports["api"] = function service() {}', 'api.cjs'],
    ['exported after a top-level await', 'await Promise.resolve()\nexport default function service() {}', 'api.mjs'],
  ])('is loaded if the service is %s', async (_title, text, name) => {
    expect(await load(text, name)).toHaveProperty('name', 'service')
  })

  it.each([
    [
      'exports no service',
      'export const app = 1, other = 2',
      'api.mjs exports no service: its default export or its export "api" must be the result of api(). ' +
        'It exports app, other.',
    ],
    ['exports nothing', 'void 0', 'It exports nothing.'],
    ['throws', 'throw new Error("DATABASE_URL is not set")', 'api.mjs cannot be loaded: DATABASE_URL is not set'],
    ['is malformed', 'export default {', 'api.mjs cannot be loaded: '],
    ['imports a missing module', 'import "./lost.mjs"', 'api.mjs cannot be loaded: Cannot find'],
    [
      'starts a server',
      'import { createServer } from "node:http"\ncreateServer().listen(0)',
      'api.mjs starts a server when it is imported. Move api() or usage() to a separate module',
    ],
    [
      'starts a server and awaits it',
      'import { createServer } from "node:net"\nimport { once } from "node:events"\nconst server = ' +
        'createServer()\ntry { server.listen(0) } catch {}\nawait once(server, "listening")',
      'api.mjs starts a server when it is imported.',
    ],
  ])('is refused if it %s', async (_title, text, message) => {
    await expect(load(text)).rejects.toThrow(message)
  })

  it.each([
    ['after it is loaded', 'export default function service() {}', undefined],
    ['after it failed to load', 'throw new Error("no database")', 'no database'],
  ])('causes no unhandled rejection if it calls a saved reference to listen() %s', async (_title, end, message) => {
    const start =
      'import { createServer, Server } from "node:net"\nconst { listen } = Server.prototype\n' +
      'globalThis.listenLater = () => listen.call(createServer(), 0)\n'
    if (message === undefined) await load(start + end)
    else await expect(load(start + end)).rejects.toThrow(message)
    const { listenLater } = globalThis as unknown as { listenLater: () => void }
    Reflect.deleteProperty(globalThis, 'listenLater')
    expect(listenLater).toThrow('api.mjs starts a server when it is imported.')
    // Vitest fails if a rejection is unhandled. Node reports it before the next macrotask.
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('is refused if loading it never ends', async () => {
    await expect(load('await new Promise(() => {})', 'api.mjs', 50)).rejects.toThrow(
      'api.mjs did not finish loading within 0.05 s: it awaits something at its top level.',
    )
  })

  it('is refused if the file does not exist', async () => {
    await expect(loadModule('/lost/api.mjs')).rejects.toThrow(
      'There is no module /lost/api.mjs. Give the file that exports your api() or usage().',
    )
  })
})
