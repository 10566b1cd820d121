/**
 * `openapi <module>`: writes the contract of a service, compares the contract with an earlier one,
 * and records accepted changes.
 */
import { existsSync, realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { accept, isAccepted } from '../contract/accepted.js'
import type { Change } from '../contract/changes.js'
import { compareServices, type Documents } from '../contract/compare-services.js'
import { DocumentError } from '../contract/nodes.js'
import {
  acceptedName,
  documentIn,
  documentsIn,
  filesOf,
  isFile,
  isFolder,
  readAccepted,
  staleFiles,
  writeAccepted,
  writeDocuments,
} from './contract-files.js'
import { parseFlags } from './flags.js'
import { commitOf, filesAt, isInRepository } from './git.js'
import type { Terminal } from './terminal.js'
import { messageOf, UsageError } from './usage-error.js'

const openapiHelp = `express-rest-conventions openapi <module> [flags]

Writes the OpenAPI documents of a service to files, one for each version, or compares the service
with an earlier contract. <module> is a file that exports the result of api(), as its default
export or as "api". The module is loaded, and must not start a server. In place of the module, you can
give an OpenAPI document in JSON or YAML.

  --out <folder>       the folder of the files (default: openapi)
  --check              compare, and write nothing
  --against <contract> the contract to compare with: a git ref (the files of --out at that
                       commit), a file, or a folder
  --accept <reason>    with --against: record the current breaking changes in <out>/${acceptedName};
                       --check then accepts all recorded changes, and no others
  --help               this text

Exit codes: 0, no breaking changes except accepted ones; 1, breaking changes; 2, the command could
not run.

  npx express-rest-conventions openapi ./api.js
  npx express-rest-conventions openapi ./api.js --check --against origin/main
  npx express-rest-conventions openapi ./api.js --against v1.4.0 --accept "no client sends lote any more"
`

const flags = { out: 'text', check: 'switch', against: 'text', accept: 'text', help: 'switch' } as const

/** Runs the command. Resolves to its exit code. */
export async function openapiCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { words, texts, switches } = parseFlags(args, flags)
  if (switches.has('help')) {
    terminal.out(openapiHelp)
    return 0
  }
  const [module, ...others] = words
  if (module === undefined)
    throw new UsageError('Which module? Give the file that exports your api(), such as: openapi ./api.js')
  if (others.length > 0)
    throw new UsageError(`One module at a time. Remove ${others.map((word) => `"${word}"`).join(' ')}.`)
  const against = texts.get('against')
  const reason = texts.get('accept')
  const out = texts.get('out') ?? 'openapi'
  const check = switches.has('check')
  const compares = check || reason !== undefined
  if (compares && against === undefined)
    throw new UsageError(
      'Nothing to compare with. Give --against a git ref, a file or a folder, such as --against origin/main',
    )
  if (!compares && against !== undefined) throw new UsageError('--against needs --check, or --accept "reason".')
  if (check && reason !== undefined) throw new UsageError('--check writes nothing. Leave it out to accept changes.')
  const file = resolve(terminal.cwd, module)
  // In place of a module, the user may give a document that was written by hand or by another tool.
  // The command handles it like the documents of a module.
  const documents = isDocument(module) ? documentIn(file) : await terminal.documentsOf(file)
  const place = { folder: resolve(terminal.cwd, out), name: out }
  if (against === undefined) return write(documents, place, terminal)
  const base = await baseOf(against, documents, place, terminal)
  if (base === undefined) return firstContract(against, documents, { module, place }, terminal)
  const changes = compared(base, documents, terminal.now())
  return reason === undefined ? report(changes, documents, place, terminal) : record(changes, reason, place, terminal)
}

const isDocument = (name: string): boolean => /\.(?:json|ya?ml)$/.test(name)

interface Place {
  readonly folder: string
  /** The name of the folder, as the user gave it. */
  readonly name: string
}

function write(documents: Documents, { folder, name }: Place, terminal: Terminal): number {
  for (const file of writeDocuments(folder, documents)) {
    const why = file.happened === 'removed' ? ': the version is no longer served' : ''
    terminal.out(`${file.happened} ${join(name, file.name)}${why}\n`)
  }
  return 0
}

/** The contract to compare with; `undefined` if the git ref has no contract yet. */
async function baseOf(
  against: string,
  documents: Documents,
  { folder, name }: Place,
  terminal: Terminal,
): Promise<Documents | undefined> {
  const path = resolve(terminal.cwd, against)
  const isPath = existsSync(path)
  const commit = /^\.{0,2}[\\/]/.test(against) ? undefined : await commitOf(terminal.cwd, against)
  if (isPath && commit !== undefined) {
    throw new UsageError(
      `"${against}" is both a path and a git ref. Write ./${against} for the path, or refs/heads/${against} for ` +
        'a branch of that name.',
    )
  }
  if (commit !== undefined) {
    // `filesAt` needs the real path of the folder, without symbolic links.
    const real = isFolder(folder)
      ? realpathSync(folder)
      : join(realpathSync(terminal.cwd), relative(terminal.cwd, folder))
    const base = documentsIn(await filesAt(terminal.cwd, commit, real), `${against}:${name}`)
    return base.size === 0 ? undefined : base
  }
  if (isFile(path)) return alike(documentIn(path, [...documents.keys()]), documents)
  if (isPath) {
    const base = documentsIn(filesOf(path), against)
    if (base.size === 0) throw new UsageError(`The folder ${against} has no file of a version, such as v1.json.`)
    return base
  }
  if (await isInRepository(terminal.cwd)) {
    throw new UsageError(
      `"${against}" is not a git ref, file or folder. A shallow clone has no other branches. Fetch the ` +
        'branch first, such as: git fetch origin main',
    )
  }
  throw new UsageError(
    `"${against}" is neither a file nor a folder. It cannot be a git ref, because ${terminal.cwd} is not in a ` +
      'git repository.',
  )
}

/**
 * Adds the current documents of all other versions to a contract that is a single file. Such a file
 * describes only one version. The added versions are compared with themselves, so they show no
 * changes.
 */
const alike = (base: Documents, documents: Documents): Documents =>
  new Map([...base, ...[...documents].filter(([version]) => !base.has(version))])

function compared(base: Documents, documents: Documents, now: Date): readonly Change[] {
  try {
    return compareServices(base, documents, now)
  } catch (error) {
    if (error instanceof DocumentError) throw new UsageError(messageOf(error))
    throw error
  }
}

interface First {
  readonly module: string
  readonly place: Place
}

function firstContract(against: string, documents: Documents, { module, place }: First, terminal: Terminal): number {
  const stale = staleFiles(place.folder, documents)
  const next = 'From then on, this check compares with it.'
  if (stale.length === 0) {
    terminal.out(
      `There is no contract at ${against}:${place.name} yet. The contract in ${place.name} is the first. Commit and ` +
        `merge it. ${next}\n`,
    )
    return 0
  }
  throw new UsageError(
    `There is no contract at ${against}:${place.name} yet. Write the first contract with: npx ` +
      `express-rest-conventions openapi ${module}${place.name === 'openapi' ? '' : ` --out ${place.name}`}\n` +
      `Commit and merge ${place.name}. ${next}`,
  )
}

function report(changes: readonly Change[], documents: Documents, { folder, name }: Place, terminal: Terminal): number {
  const accepted = readAccepted(folder)
  const breaking = changes.filter((change) => change.breaking && !isAccepted(change, accepted))
  const passed = changes.filter((change) => change.breaking).length - breaking.length
  const warnings = changes.filter(({ level }) => level === 'warning')
  const harmless = changes.filter(({ level }) => level === 'harmless').length
  for (const { sentence, kind } of breaking) terminal.error(`${sentence} [${kind}]\n`)
  for (const { sentence, kind } of warnings) terminal.error(`warning: ${sentence} [${kind}]\n`)
  const counts = [
    `${breaking.length} breaking ${breaking.length === 1 ? 'change' : 'changes'}`,
    ...(passed === 0 ? [] : [`${passed} accepted`]),
    ...(warnings.length === 0 ? [] : [`${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}`]),
    `${harmless} harmless`,
  ]
  terminal.out(`${counts.join(', ')}\n`)
  const stale = staleFiles(folder, documents)
  if (stale.length > 0) {
    terminal.error(
      `note: ${stale.map((file) => join(name, file)).join(', ')} ${stale.length === 1 ? 'differs' : 'differ'} ` +
        'from the current service. Write and commit the contract again.\n',
    )
  }
  return breaking.length === 0 ? 0 : 1
}

function record(changes: readonly Change[], reason: string, { folder, name }: Place, terminal: Terminal): number {
  const accepted = readAccepted(folder)
  const fresh = changes.filter((change) => change.breaking && !isAccepted(change, accepted))
  if (fresh.length === 0) {
    terminal.out('Nothing to accept: there are no new breaking changes.\n')
    return 0
  }
  writeAccepted(folder, [...accepted, ...fresh.map((change) => accept(change, reason, terminal.now()))])
  for (const { summary } of fresh) terminal.out(`accepted: ${summary}\n`)
  terminal.out(`Recorded in ${join(name, acceptedName)}: commit it with the change.\n`)
  return 0
}
