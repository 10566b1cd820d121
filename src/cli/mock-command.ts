/**
 * `mock <module>`: serves the whole interface of a service from stores in memory that contain
 * example records.
 */
import type { AddressInfo } from 'node:net'
import { basename, resolve } from 'node:path'
import { type MockedPath, type MockedService, mockService } from '../mock/mock-service.js'
import { isConfigurationError } from '../problem.js'
import { createServer, type GracefulServer } from '../server/index.js'
import { type MockCall, readMockCall } from './mock-flags.js'
import type { Terminal } from './terminal.js'
import { codeOf, messageOf, UsageError } from './usage-error.js'

const mockHelp = `express-rest-conventions mock <module> [flags]

Serves the whole interface of a service with example records in memory: a front-end team can start
before the database exists. <module> is a file that exports the result of api(), as its default
export or as "api". The module is loaded, but none of its adapters is called.

  --port <number>      the port to listen on (default: 3000; 0 takes a free one)
  --host <name>        the address to listen on (default: 127.0.0.1)
  --seed <number>      the same seed gives the same records, delays and failures (default: 1)
  --records <number>   records of each resource (default: 25)
  --data <file>        your own records, by collection: { "orders": [{ "id": 7 }] }; missing
                       members are generated
  --auth off|keep      off (default): every request has all permissions, with any token or none;
                       keep: the service's own authentication and permission function
  --principal <json>   the principal of the requests (default: {"sub":"mock","scope":"*:read *:write"})
  --delay <ms>         the delay of responses: 200, or 100-800
  --fail <shares>      the share of failing requests: 5% (503 with Retry-After), or 5%:500,10%:429
  --help               this text

The exit code is 0 after SIGTERM or SIGINT, and 2 if the command could not run.

  npx express-rest-conventions mock ./api.js
  npx express-rest-conventions mock ./api.js --records 10000 --delay 100-800 --fail 5%
`

/**
 * How long requests in progress may still run after the mock has received a signal, in
 * milliseconds.
 */
const grace = 2_000

/** Runs the command. Resolves to its exit code when the process receives a signal to end. */
export async function mockCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const call = readMockCall(args, terminal.cwd)
  if (call === undefined) {
    terminal.out(mockHelp)
    return 0
  }
  const ended = terminal.ended()
  const service = await mocked(call, terminal)
  const server = createServer(service.listener)
  const address = await listening(server, call)
  terminal.out(greeting(call, service, address))
  await ended
  await server.shutdown({ drain: 0, grace })
  return 0
}

async function mocked({ module, options }: MockCall, terminal: Terminal): Promise<MockedService> {
  const service = await terminal.serviceOf(resolve(terminal.cwd, module))
  const notes = new Set<string>()
  const note = (text: string): void => {
    if (!notes.has(text)) terminal.error(`note: ${text}\n`)
    notes.add(text)
  }
  try {
    return await mockService(service, { ...options, note })
  } catch (error) {
    if (isConfigurationError(error)) throw new UsageError(`${basename(module)}: ${error.message}`)
    throw error
  }
}

/** Starts the server. Resolves to its URL when it listens. */
function listening(server: GracefulServer, { port, host }: MockCall): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const code = codeOf(error)
      if (code === 'EADDRINUSE')
        reject(new UsageError(`Port ${port} is in use. Give another with --port, or --port 0 for a free one.`))
      else if (code === 'EACCES')
        reject(new UsageError(`This user is not allowed to listen on port ${port}. Give another with --port.`))
      else reject(new UsageError(`Cannot listen on ${host}, port ${port}: ${messageOf(error)}.`))
    })
    server.listen(port, host, () => resolve(addressOf(host, (server.address() as AddressInfo).port)))
  })
}

function addressOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function greeting({ module, options }: MockCall, { paths }: MockedService, address: string): string {
  const { visitors, seed } = options
  const width = Math.max(0, ...paths.map(({ path }) => path.length))
  const first = paths.find(({ records }) => records > 0)
  const lines = [
    `mock of ${basename(module)}, listening on ${address} (seed ${seed})`,
    ...paths.map(
      ({ path, records }) => `  ${address}${path.padEnd(width)}  ${records} ${records === 1 ? 'record' : 'records'}`,
    ),
    visitors.auth === 'keep'
      ? 'Requests need the credentials of the service (--auth keep).'
      : `No credentials are needed: every request has the principal ${JSON.stringify(visitors.principal)} and all ` +
        'permissions.',
    ...(first === undefined ? [] : [curl(address, first)]),
  ]
  return `${lines.join('\n')}\n`
}

const curl = (address: string, { path }: MockedPath): string => `curl -i '${address}${path}?limit=2'`
