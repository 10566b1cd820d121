/** The pages for the source files of the examples: their paths and their Markdown. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const languages: Readonly<Record<string, string>> = { '.cjs': 'js', '.js': 'js', '.json': 'json', '.ts': 'ts' }

export interface Source {
  /**
   * The path of the page below `/site`, without `.html`. For example, `examples/a/app.ts` is the
   * path of the page `/site/examples/a/app.ts.html`.
   */
  readonly path: string
  readonly content: string
}

const isSource = (path: string): boolean => extname(path) in languages

/**
 * The path of the page for a file or folder in `examples`, or `undefined` if there is no such page.
 */
export function sourcePage(path: string): string | undefined {
  if (!/^examples\/[^.]/.test(path) || !existsSync(join(root, path))) return undefined
  return isSource(path) ? path : join(path, 'index')
}

export const sources = (): readonly Source[] => folderOf('examples')

function folderOf(folder: string): readonly Source[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  const files = entries.map(({ name }) => join(folder, name)).filter(isSource)
  const links = [...folders, ...files].map((path) => `- [${path}](../${path})\n`)
  return [
    { path: join(folder, 'index'), content: `# ${folder}\n\n${links.join('')}` },
    ...files.map((path) => ({ path, content: `# ${path}\n\n${fenced(path)}` })),
    ...folders.flatMap(folderOf),
  ]
}

const fenced = (path: string): string =>
  `\`\`\`\`${languages[extname(path)]}\n${readFileSync(join(root, path), 'utf8')}\n\`\`\`\`\n`
