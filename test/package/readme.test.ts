/**
 * The TypeScript blocks of the README, CONTRIBUTING and docs compile verbatim. JavaScript blocks
 * are not compiled: they use variables that the text explains.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
)

const blocks = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code], index) => ({
    page,
    index,
    code: code as string,
  })),
)

describe('code in the documentation', () => {
  it('compiles under the compiler options of this repository', () => {
    expect(blocks.length).toBeGreaterThan(3)
    const home = join(root, 'build', 'documentation')
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home, { recursive: true })
    for (const { page, index, code } of blocks) {
      // A block whose first line names a file may import the other files of its page.
      const named = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1]
      const folder = named === undefined ? home : join(home, page.replace(/\W/g, '-'))
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, named ?? `${page.replace(/\W/g, '-')}-${index}.ts`), `${code}\nexport {}\n`)
    }
    writeFileSync(
      join(home, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: {
          paths: {
            'express-rest-conventions': ['../../src/index.ts'],
            'express-rest-conventions/auth': ['../../src/auth/index.ts'],
            'express-rest-conventions/conformance': ['../../src/check/index.ts'],
            'express-rest-conventions/docs': ['../../src/docs/index.ts'],
            'express-rest-conventions/memory': ['../../src/adapters/memory/index.ts'],
            'express-rest-conventions/middleware': ['../../src/middleware/index.ts'],
            'express-rest-conventions/mock': ['../../src/mock/index.ts'],
            'express-rest-conventions/openapi': ['../../src/openapi/index.ts'],
            'express-rest-conventions/postgres': ['../../src/adapters/postgres/index.ts'],
            'express-rest-conventions/server': ['../../src/server/index.ts'],
            'express-rest-conventions/spectral': ['../../src/spectral/index.ts'],
            'express-rest-conventions/testing': ['../../src/testing/index.ts'],
            'express-rest-conventions/transfer': ['../../src/transfer/index.ts'],
            'express-rest-conventions/usage': ['../../src/usage/index.ts'],
          },
        },
        include: ['.'],
      }),
    )
    const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', home], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
  })

  it('the first example is short: a service in at most 20 lines', () => {
    const first = blocks.find((block) => block.page === 'README.md')
    expect(first?.code.trim().split('\n').length).toBeLessThanOrEqual(20)
  })
})
