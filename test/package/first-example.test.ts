/**
 * The first example of the README runs, and responds as the README says. Only its port is changed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const code = /^```ts\n(.*?)^```$/ms.exec(readme)?.[1] ?? ''
/** The curl lines below the example. */
const lines = [...readme.matchAll(/^curl -i .*$/gm)].map(([line]) => line)
const port = 'const { port } = this.address(); console.log(port)'

/** Sends the request of a curl line of the README. */
async function sent(line: string, base: string): Promise<Response> {
  const [, address = ''] = /localhost:3000(\/[^\s']*)/.exec(line) ?? []
  const headers = [...line.matchAll(/-H '([^:]+): ([^']*)'/g)].map(
    ([, name = '', value = '']) => [name, value] as [string, string],
  )
  const body = /-d '([^']*)'/.exec(line)?.[1]
  const method = /-X (\w+)/.exec(line)?.[1] ?? (body === undefined ? 'GET' : 'POST')
  return fetch(`${base}${address}`, { method, headers, ...(body === undefined ? {} : { body }) })
}

describe('the first example of the README', () => {
  let base = ''
  let stop = (): void => {}

  beforeAll(async () => {
    const folder = join(root, 'build', 'first-example')
    mkdirSync(folder, { recursive: true })
    const path = join(folder, 'service.mjs')
    expect(code).toContain('.listen(3000)')
    writeFileSync(path, code.replace('.listen(3000)', `.listen(0, '127.0.0.1', function () { ${port} })`))
    const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] })
    stop = () => void child.kill()
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
    base = `http://127.0.0.1:${String(chunk).trim()}`
  })
  afterAll(() => stop())

  it('is also a file of the package', () => {
    expect(readFileSync(join(root, 'examples/first-service/service.js'), 'utf8')).toBe(code)
  })

  it('responds to its curl lines with 201, a page, a 400 that suggests "offest", and 412; v0 gets 410', async () => {
    const [post = '', page = '', misspelt = '', patch = ''] = lines
    const created = await sent(post, base)
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe(`${base}/v1/sucursales/MAD`)
    expect(created.headers.get('etag')).toMatch(/^".+"$/)
    const listed = await sent(page, base)
    expect(listed.status).toBe(200)
    expect(listed.headers.get('x-total-count')).toBe('1')
    const refused = await sent(misspelt, base)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('offest')
    expect((await sent(patch, base)).status).toBe(412)
    expect((await fetch(`${base}/v0/sucursales`)).status).toBe(410)
  })
})
