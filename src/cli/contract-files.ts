/**
 * The files of a contract: a document for each version, such as `openapi/v1.json`, and the file of
 * the accepted changes.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Accepted, acceptedText, parseAccepted } from '../contract/accepted.js'
import { bundled } from '../contract/bundle.js'
import { canonicalDocument } from '../contract/canonical.js'
import type { Documents } from '../contract/compare-services.js'
import { Source } from '../contract/nodes.js'
import { isList, own } from '../definition/json.js'
import { parseDocument } from './document-text.js'
import { messageOf, UsageError } from './usage-error.js'

/** The name of the file of the accepted changes, which is next to the documents. */
export const acceptedName = 'accepted.json'

/**
 * The version in a file name, such as `v1` in `v1.json`. `undefined` if the name is not a version
 * with the extension of JSON or YAML.
 */
const versionOf = (name: string): string | undefined => /^(v\d+)\.(?:json|ya?ml)$/.exec(name)?.[1]

/**
 * Finds the documents among some files, by version. In messages, `where` names the folder of the
 * files.
 */
export function documentsIn(files: ReadonlyMap<string, string>, where: string): Documents {
  const documents = new Map<string, unknown>()
  for (const [name, text] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const version = versionOf(name)
    if (version === undefined) continue
    if (documents.has(version)) throw new UsageError(`${where} has two documents of ${version}. Keep one of them.`)
    const other = (path: string): unknown => {
      const beside = files.get(path)
      if (beside === undefined) throw new UsageError(`${where}/${name} refers to ${path}, which is not in ${where}.`)
      return parseDocument(beside, `${where}/${path}`)
    }
    documents.set(version, checked(parseDocument(text, `${where}/${name}`), `${where}/${name}`, name, other))
  }
  return documents
}

/**
 * Reads the document in one file, and determines its version. `versions` lists the versions with
 * which the document can be compared. If the list has one version, the document counts as that
 * version. Otherwise, the version comes from the file name, from `info.version`, or from the end of
 * a server's URL. If none of them is a version such as `v2`, there are two cases: without
 * `versions`, the function assumes `v1`; with `versions`, it throws `UsageError`.
 */
export function documentIn(file: string, versions?: readonly string[]): Documents {
  const other = (path: string): unknown => parseDocument(readText(join(dirname(file), path)), path)
  const document = checked(parseDocument(readText(file), file), file, basename(file), other)
  if (versions?.length === 1) return new Map(versions.map((version) => [version, document]))
  const servers: unknown = own(document, 'servers')
  const ends = isList(servers) ? servers.map((server) => String(own(server, 'url')).split('/').at(-1)) : []
  const names = [
    versionOf(basename(file)),
    own(own(document, 'info'), 'version'),
    ...ends,
    ...(versions === undefined ? ['v1'] : []),
  ]
  const version = names.find((name) => typeof name === 'string' && /^v\d+$/.test(name))
  if (typeof version === 'string') return new Map([[version, document]])
  throw new UsageError(
    `${file} does not say which version it describes. Name it after the version, such as v1.json; this service ` +
      `has ${versions?.join(', ')}.`,
  )
}

/**
 * The document, including the parts that are in other files. In messages, `where` names the
 * document. `name` is the name of the file that contains the document.
 */
function checked(document: unknown, where: string, name: string, other: (path: string) => unknown): unknown {
  try {
    return bundled(new Source(document).root.value, name, other)
  } catch (error) {
    throw new UsageError(`${where}: ${messageOf(error)}`)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`)
  }
}

/** The JSON and YAML files of a folder, by name. Empty if the folder does not exist. */
export function filesOf(folder: string): ReadonlyMap<string, string> {
  if (!isFolder(folder)) return new Map()
  const names = readdirSync(folder).filter((name) => /\.(?:json|ya?ml)$/.test(name))
  return new Map(names.map((name) => [name, readText(join(folder, name))]))
}

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** What was done with one file. */
export interface Written {
  readonly name: string
  readonly happened: 'written' | 'unchanged' | 'removed'
}

/**
 * Writes the JSON file of each version, unless it is up to date. Removes the JSON files of versions
 * that are no longer served.
 */
export function writeDocuments(folder: string, documents: Documents): readonly Written[] {
  mkdirSync(folder, { recursive: true })
  const files = filesOf(folder)
  const written: Written[] = []
  for (const [version, document] of documents) {
    const name = `${version}.json`
    const text = canonicalDocument(document)
    const happened = files.get(name) === text ? 'unchanged' : 'written'
    if (happened === 'written') writeFileSync(join(folder, name), text)
    written.push({ name, happened })
  }
  for (const name of files.keys()) {
    const version = versionOf(name)
    if (version === undefined || !name.endsWith('.json') || documents.has(version)) continue
    rmSync(join(folder, name))
    written.push({ name, happened: 'removed' })
  }
  return written
}

/**
 * The names of the JSON files that are not up to date in a folder: files that are missing, files
 * that differ from the current documents of the service, and files of versions that are no longer
 * served.
 */
export function staleFiles(folder: string, documents: Documents): readonly string[] {
  const files = filesOf(folder)
  const stale = [...documents].filter(
    ([version, document]) => files.get(`${version}.json`) !== canonicalDocument(document),
  )
  const left = [...files.keys()].filter(
    (name) => name.endsWith('.json') && !documents.has(versionOf(name) ?? [...documents.keys()][0] ?? ''),
  )
  return [...stale.map(([version]) => `${version}.json`), ...left]
}

/** The changes that have been accepted so far. */
export function readAccepted(folder: string): readonly Accepted[] {
  const file = join(folder, acceptedName)
  if (!isFile(file)) return []
  try {
    return parseAccepted(readText(file), file)
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

export function writeAccepted(folder: string, accepted: readonly Accepted[]): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, acceptedName), acceptedText(accepted))
}
