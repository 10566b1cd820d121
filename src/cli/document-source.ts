/** Reads documents and other text from files and URLs. */
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf, UsageError } from './usage-error.js'

/** How long to wait for a document, in milliseconds. */
const fetchTimeout = 30_000

/**
 * The maximum size of a document, in bytes. A larger document could take minutes and gigabytes to
 * parse.
 */
const largestDocument = 32 * 1024 * 1024

/** A document or other text, and its source. */
export interface SourceText {
  /** The file name as the user gave it, or a URL. */
  readonly name: string
  readonly text: string
}

export const isAddress = (source: string): boolean => /^https?:\/\//.test(source)

/** Thrown if the service responds, but not with status 200. */
export class NoDocument extends UsageError {}

/** Thrown if the service requires credentials. */
export class NoAccess extends NoDocument {}

/**
 * Fetches the text at a URL. Throws `UsageError` if that fails. If the status is not 200, the error
 * is `NoDocument` or `NoAccess`.
 */
export async function fetchText(address: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const unreachable = (error: unknown): UsageError =>
    new UsageError(`${address} cannot be fetched: ${messageOf((error as { cause?: unknown }).cause ?? error)}`)
  // Redirects are not followed, because a redirect could send the token to another host.
  const response = await fetch(address, {
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(fetchTimeout),
  }).catch((error: unknown) => {
    throw unreachable(error)
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    const Fault = response.status === 401 ? NoAccess : NoDocument
    throw new Fault(`${address} responded with ${response.status} instead of a document.`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > largestDocument) throw tooLarge(address)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof UsageError ? error : unreachable(error)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

const tooLarge = (name: string): UsageError =>
  new UsageError(`${name} has more than ${largestDocument / 1024 / 1024} MiB. Split it, or leave out its examples.`)

/** Reads the text of a file. Throws `UsageError` if it can't be read. */
export function readText(file: string, cwd: string): string {
  const path = resolve(cwd, file)
  const reasons: Readonly<Record<string, string>> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' }
  try {
    if (statSync(path).size > largestDocument) throw tooLarge(file)
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code = '' } = error as { code?: string }
    throw new UsageError(`${file} cannot be read: ${reasons[code] ?? messageOf(error)}.`)
  }
}

/**
 * Returns a source as a URI. For a file below the working folder, the URI is relative, and the
 * program that shows the report resolves it.
 */
export function uriOf(name: string, cwd: string): string {
  if (isAddress(name)) return name
  const path = resolve(cwd, name)
  const below = relative(cwd, path)
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) return pathToFileURL(path).href
  return below.split(sep).map(encodeURIComponent).join('/')
}
