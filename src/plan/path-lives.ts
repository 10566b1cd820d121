/** The lives of paths that a team declares by their templates: of hand-written routes, and of what has no code any more (VER-2, VER-3). */
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kind } from '../options/kinds.js'
import { type PartLifeOptions, partLifeKinds, resolveLife } from './life.js'
import type { Part } from './part-lives.js'
import { livesOf } from './route-lives.js'

/** Lives by path below the version, with a method before it where they are of that method alone: `'/notas/{id}'`, `'DELETE /notas/{id}'`. */
export type PathLives = Readonly<Record<string, PartLifeOptions>>

export const pathLivesKind: Kind = 'table'

const grammar = /^(?:([A-Z]+) )?((?:\/(?:\{[^{}/]+\}|[^{}/?#\s]+))+)$/

/** The parts of `what`, which is a version. `anyCase`: hand-written routes are behind it. Throws `ConfigurationError` where a path is malformed, or its life makes no sense. */
export function partsOfPaths(what: string, given: PathLives | undefined, anyCase: boolean): readonly Part[] {
  const parts = new Map<string, { life: PartLifeOptions | undefined; methods: [method: string, life: PartLifeOptions][] }>()
  for (const [key, life] of Object.entries(given ?? {})) {
    const name = `"${key}" of paths of ${what}`
    checkOptions<PartLifeOptions>(name, life, partLifeKinds)
    const [, method, template = ''] = grammar.exec(key) ?? []
    if (template === '')
      throw invalidOption(
        `${name} is no path. Give a path below the version, such as "/notas/{id}", or with a method "DELETE /notas/{id}".`,
      )
    if (method === 'HEAD') throw invalidOption(`${name} is about HEAD, which goes with GET. Name GET.`)
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
    // What other methods a hand-written route has, nobody knows.
    return { template, life: path, methods: lives?.methods ?? new Map(), hasOthers: true, anyCase }
  })
}
