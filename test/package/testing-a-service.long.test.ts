/**
 * Writes the code blocks of docs/testing-a-service.md to files, and runs their tests as a separate
 * project. This project imports the library from the source of this repository.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { freshSchema } from '../servers/databases.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/testing-a-service.md'), 'utf8')
const files = [...page.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => ({
  name: name as string,
  code: code as string,
}))

const config = (express: string) => `
import { defineConfig, mergeConfig } from 'vitest/config'
export default defineConfig({
  resolve: {
    alias: [
      { find: /^express$/, replacement: ${JSON.stringify(express)} },
      ...${JSON.stringify(['', '/memory', '/postgres'])}.map((path) => ({
        find: new RegExp('^express-rest-conventions' + path + '$'),
        replacement: ${JSON.stringify(join(root, 'src'))} + (path === '' ? '' : '/adapters' + path) + '/index.ts',
      })),
    ],
  },
  test: { testTimeout: 30_000, isolate: false, fileParallelism: false, reporters: ['json'], outputFile: 'report.json' },
})
`

for (const [major, express] of Object.entries({ 'Express 5': 'express', 'Express 4': 'express4' })) {
  it(`the tests of docs/testing-a-service.md pass verbatim (${major})`, async () => {
    await using place = await freshSchema()
    const home = join(root, 'build', `testing-a-service-${express}`)
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home, { recursive: true })
    for (const { name, code } of files) writeFileSync(join(home, name), code)
    writeFileSync(join(home, 'vitest.config.ts'), config(express))
    const url = new URL(place.url)
    url.search = ''
    const run = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', home], {
      cwd: home,
      env: { ...process.env, DATABASE_URL: url.href },
    })
    let output = ''
    for (const stream of [run.stdout, run.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const [code] = await once(run, 'close')
    expect(code, output).toBe(0)
    const report = JSON.parse(readFileSync(join(home, 'report.json'), 'utf8'))
    const tests = files.flatMap(({ name, code }) => (name.endsWith('.test.ts') ? [...code.matchAll(/^ *it\('/gm)] : []))
    expect(tests.length).toBeGreaterThan(8)
    // Some tests of the page run once for each of its two stores, so more tests pass than the page
    // contains.
    expect(report.numPassedTests).toBeGreaterThan(tests.length)
  }, 120_000)
}
