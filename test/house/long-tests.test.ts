/** Checks the rules of docs/own-tests.md for quick and long tests. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const files = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' }).map(
  (path) => `test/${path.replaceAll('\\', '/')}`,
)
const tests = files.filter((path) => path.endsWith('.test.ts'))

describe('a quick test', () => {
  it('runs in its own process if it replaces modules, handles process events or sets flags of V8', () => {
    const [, list = ''] = /const alone = \[([^\]]*)\]/.exec(read('vitest.config.ts')) ?? []
    const alone = [...list.matchAll(/'([^']+)'/g)].map(([, path]) => path as string)
    const looks = /^ *vi\.mock\(|^ *process\.on\(|setFlagsFromString\(/m
    const found = tests.filter((path) => !path.endsWith('.long.test.ts') && looks.test(read(path)))
    expect(alone.toSorted()).toEqual(found.toSorted())
  })
})

describe('quick and long tests', () => {
  it('have different file names, and each kind has its own script', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    expect(scripts.test).toBe('vitest run --project=quick --project=alone')
    expect(scripts['test:long']).toBe('vitest run --project=long')
    expect(tests.filter((path) => !/^[a-z0-9-]+(\.long)?\.test\.ts$/.test(basename(path)))).toEqual([])
  })

  it('share their code if they differ only in the number of cases', () => {
    const isQuick = (path: string): boolean => !path.endsWith('.long.test.ts')
    const sized = tests.filter((path) => isQuick(path) && /from '.*\/size\.js'/.test(read(path)))
    expect(sized.length).toBeGreaterThan(3)
    for (const path of sized) {
      const long = path.replace(/\.test\.ts$/, '.long.test.ts')
      expect(existsSync(new URL(long, root)), long).toBe(true)
      expect(read(long)).toContain(`import './${basename(path, '.ts')}.js'`)
    }
  })
})
