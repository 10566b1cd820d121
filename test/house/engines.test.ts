/** `npm ci` prints no engine warning on the oldest Node.js that the package supports. */
import { readFileSync } from 'node:fs'
import semver from 'semver'
import { describe, expect, it } from 'vitest'

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
const { engines } = read('package.json') as { engines: { node: string } }
const { packages } = read('package-lock.json') as {
  packages: Record<string, { version: string; engines?: { node?: string } }>
}

describe('the engines of dependencies', () => {
  const oldest = semver.minVersion(engines.node)?.version ?? ''
  const installed = Object.entries(packages).filter(([path]) => path !== '')

  it('all include the oldest supported version of Node.js', () => {
    const refused = installed.filter(([, { engines }]) => !semver.satisfies(oldest, engines?.node ?? '*'))
    expect(refused.map(([path, { version, engines }]) => `${path}@${version} needs ${engines?.node}`)).toEqual([])
  })

  it('are declared by more than 100 dependencies', () => {
    expect(oldest).toBe('20.19.0')
    expect(installed.filter(([, { engines }]) => engines?.node !== undefined).length).toBeGreaterThan(100)
  })
})
