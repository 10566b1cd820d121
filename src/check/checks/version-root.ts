/**
 * Finds the URL before the version segment (such as `/v1`). The versions and the login are below
 * this URL.
 */
import type { Service } from '../service.js'
import { Unchecked } from '../verdict.js'

/**
 * Returns `root`, the URL before the version, and `below`, the path of a collection below the
 * version. For the base URL `https://example.com/api/v1` and the path `/orders`, `root` is
 * `https://example.com/api` and `below` is `/orders`. Throws `Unchecked` if there is no version.
 */
export function besideVersion({ base, target }: Service): { readonly root: string; readonly below: string } {
  const [, root, last] = /^(.*)\/(v\d+)$/.exec(base) ?? []
  const [first] = [...target.collections, ...(target.unlisted ?? [])]
  const below = first?.template.replace(/\/\{.*$/, '') ?? ''
  if (root !== undefined && last !== undefined) return { root, below }
  const [, version, rest = ''] = /^(\/v\d+)(\/.*)$/.exec(below) ?? []
  if (version === undefined)
    throw new Unchecked('the base address does not end with a version such as v1, and the paths do not begin with one')
  return { root: base, below: rest }
}
