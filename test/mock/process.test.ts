/** Tests of the built command `mock`, which runs as a process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { put, temporaryFolder } from '../cli/repository.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = join(root, 'dist/cli/main.js')
const example = join(root, 'build/examples/pre-piezas/interface.js')

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
  /** The lines that the command prints when it listens. */
  readonly greeting: Promise<string>
}

const run = (...args: readonly string[]): Running => runCommand('mock', ...args)

function runCommand(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [main, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let error = ''
  child.stderr.on('data', (chunk) => {
    error += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code, out, error }))
  const greeting = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      out += chunk
      if (/curl .*\n$/.test(out)) resolve(out)
    })
    child.once('close', () => reject(new Error(`The command ended before it listened: ${error}`)))
  })
  greeting.catch(() => {})
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended, greeting }
}

/** Runs the command with arguments that make it end by itself. */
const refusal = async (...args: readonly string[]): Promise<Ran> => run(...args).ended

/** Writes a module that serves one resource. The source text of the module ends with `extra`. */
function moduleOf(extra: string): string {
  const folder = temporaryFolder()
  const library = pathToFileURL(join(root, 'dist/index.js')).href
  put(
    folder,
    'api.mjs',
    `import { api, defineResource, mount } from ${JSON.stringify(library)}
const notes = defineResource({ collection: 'notes', key: 'id', schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } })
const never = () => { throw new Error('called') }
const service = (name) => api({ versions: { [name]: [mount(notes, { list: never, read: never })] } })
${extra}`,
  )
  return join(folder, 'api.mjs')
}

describe('mock <module> as a process', () => {
  it('serves the example, prints a curl line that works, and ends on SIGTERM', async () => {
    const { child, ended, greeting } = run(example, '--port', '0', '--records', '40', '--seed', '9')
    const text = await greeting
    const [, base = ''] = /listening on (\S+) \(seed 9\)/.exec(text) ?? []
    expect(text).toContain(`${base}/v8/pre-piezas        40 records\n`)
    const [, url = ''] = /curl -i '([^']+)'/.exec(text) ?? []
    const list = await fetch(url)
    expect([list.status, list.headers.get('x-total-count')]).toEqual([200, '40'])
    for (const piece of (await list.json()) as { contrato: { href: string }; cpDestinoValidado: { href: string } }[]) {
      expect((await fetch(piece.contrato.href)).status).toBe(200)
      expect((await fetch(piece.cpDestinoValidado.href)).status).toBe(200)
    }
    const hits = (await (await fetch(`${base}/v8/search?q=a`)).json()) as { href: string }[]
    expect(hits[0]?.href).toMatch(/^https:/)
    expect((await fetch(`${base}/v8/sucursales`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toEqual({ code: 0, out: text, error: '' })
  })

  it('suggests --port if the port is in use', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    expect(await refusal(moduleOf('export default service("v1")'), '--port', String(port))).toEqual({
      code: 2,
      out: '',
      error: `Port ${port} is in use. Give another with --port, or --port 0 for a free one.\n`,
    })
  })

  it.each([
    ['exports nothing', 'void service', /^api\.mjs exports no service: .* It exports nothing\.\n$/],
    ['throws', 'throw new Error("no DATABASE_URL")', /^api\.mjs cannot be loaded: no DATABASE_URL\n$/],
    [
      'exports a function instead of a service',
      'export default () => {}',
      /^api\.mjs: A mock needs the return value of api\(\) or resourceRouter\(\)/,
    ],
  ])('refuses a module that %s', async (_title, text, error) => {
    const ran = await refusal(moduleOf(text))
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.error).toMatch(error)
  })

  it('for a .tsx file, the commands `mock` and `openapi` print how to load TypeScript', async () => {
    const folder = temporaryFolder()
    put(folder, 'api.tsx', 'export default 1')
    for (const command of ['mock', 'openapi']) {
      const { ended } = runCommand(command, join(folder, 'api.tsx'))
      expect(await ended).toEqual({
        code: 2,
        out: '',
        error:
          'api.tsx is TypeScript, which this Node does not load. Give the compiled file, or a loader: set ' +
          'NODE_OPTIONS="--import tsx" for this command.\n',
      })
    }
  })

  it('uses the default export of a module with two services, and ends on SIGINT', async () => {
    const { child, ended, greeting } = run(
      moduleOf('export default service("v3")\nexport const api2 = service("v1")'),
      '--port',
      '0',
    )
    expect(await greeting).toMatch(/\/v3\/notes {2}25 records\n/)
    child.kill('SIGINT')
    expect((await ended).code).toBe(0)
  })
})
