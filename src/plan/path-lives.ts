/**
 * Life cycles (deprecation, retirement) that a version declares by path template. Such declarations
 * are for hand-written routes, and for paths that no code serves any more (VER-2, VER-3).
 */
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kind } from '../options/kinds.js'
import { type PartLifeOptions, partLifeKinds, resolveLife } from './life.js'
import type { Part } from './part-lives.js'
import { livesOf } from './route-lives.js'

/**
 * Life cycles, by path below the version. If a key begins with a method, the life cycle applies
 * only to this method. Examples of keys are `'/notas/{id}'` and `'DELETE /notas/{id}'`.
 */
export type PathLives = Readonly<Record<string, PartLifeOptions>>

export const pathLivesKind: Kind = 'table'

/** A path may also have the parameters of an Express route, such as `/notas/:id`. */
const grammar = /^(?:([A-Z]+) )?((?:\/(?:\{[^{}/]+\}|[^{}/?#\s]+))+)$/

/**
 * Returns the parts of a version whose life cycles the option `paths` declares. `what` names the
 * version in messages. `anyCase` is true if the version has hand-written routes: their paths are
 * matched case-insensitively. Throws `ConfigurationError` for a malformed path or an invalid life
 * cycle.
 */
export function partsOfPaths(what: string, given: PathLives | undefined, anyCase: boolean): readonly Part[] {
  const parts = new Map<
    string,
    { life: PartLifeOptions | undefined; methods: [method: string, life: PartLifeOptions][] }
  >()
  for (const [key, life] of Object.entries(given ?? {})) {
    const name = `"${key}" in "paths" of ${what}`
    checkOptions<PartLifeOptions>(name, life, partLifeKinds)
    const [, method, path = ''] = grammar.exec(key) ?? []
    // A `:` marks a parameter only if the parameter is the whole segment.
    const template = path.replace(/\/:(\w+)(?:\([^()]*\))?(?=\/|$)/g, '/{$1}')
    if (template === '')
      throw invalidOption(
        `${name} is not a path. Give a path below the version, such as "/notas/{id}", ` +
          'or a method and a path, such as "DELETE /notas/{id}".',
      )
    const [, first, ...rest] = template.split('/')
    if (first === what) {
      const fix = rest.length === 0 ? 'Set the life cycle of the version itself.' : `Write "/${rest.join('/')}".`
      throw invalidOption(`${name} begins with the version, but paths are relative to the version. ${fix}`)
    }
    if (method === 'HEAD')
      throw invalidOption(`${name} names HEAD, which always has the life cycle of GET. Name GET instead.`)
    const part = parts.get(template) ?? { life: undefined, methods: [] }
    parts.set(template, part)
    if (method === undefined) part.life = life
    else part.methods.push([method, life])
  }
  return [...parts].map(([template, { life, methods }]) => {
    const path = resolveLife(`"${template}" of ${what}`, life ?? {})
    const declared = methods.flatMap(([method, options]) => {
      const own = resolveLife(`"${method} ${template}" of ${what}`, options)
      return own === undefined ? [] : [{ method, life: own }]
    })
    const { lives } = livesOf(path, declared)
    // A hand-written route may have any other methods, so `hasOthers` is always true.
    return { template, life: path, methods: lives?.methods ?? new Map(), hasOthers: true, anyCase }
  })
}
