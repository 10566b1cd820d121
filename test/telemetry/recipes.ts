/** The code blocks of docs/observability.md, as files that can run. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/observability.md'), 'utf8')

/** Returns the code block below a heading of the page. */
export function recipe(heading: string): string {
  const [, code] = new RegExp(`^### ${heading}$[^]*?^\`\`\`js\\n([^]*?)^\`\`\`$`, 'm').exec(page) ?? []
  if (code === undefined) throw new Error(`docs/observability.md has no code below "${heading}".`)
  return code
}

/** The headings of all recipes. */
export const headings = [...page.slice(page.indexOf('## Recipes')).matchAll(/^### (.+)$/gm)].map(
  ([, heading]) => heading as string,
)

export interface RecipeFile {
  readonly path: string
  remove(): void
}

/**
 * Writes a recipe as a module. The module is inside the project, so that Node finds its packages.
 * It imports the built library.
 */
export function recipeFile(heading: string): RecipeFile {
  mkdirSync(join(root, 'build'), { recursive: true })
  const folder = mkdtempSync(join(root, 'build/recipe-'))
  const built = new URL('../../dist/index.js', import.meta.url).href
  writeFileSync(join(folder, 'recipe.mjs'), recipe(heading).replace("'express-rest-conventions'", `'${built}'`))
  return { path: join(folder, 'recipe.mjs'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
