/** Where `check` gets documents, target files and tokens. */
import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { credentialOf, type Principal } from '../check/client/principals.js'
import { isDocument } from '../check/target/document-target.js'
import { type PrincipalSource, readTarget, type TargetFile } from '../check/target/target-file.js'
import { isConfigurationError } from '../problem.js'
import type { CheckCall } from './check-flags.js'
import { parseDocument } from './document-text.js'
import { messageOf, UsageError } from './usage-error.js'

/** Milliseconds for a document, or for a command that prints a token. */
const patience = 30_000

const isAddress = (source: string): boolean => /^https?:\/\//.test(source)

/**
 * The document of a service. The first token is sent where the service asks for one, and to no
 * other. Throws `UsageError` where there is no document.
 */
export async function documentOf(call: CheckCall, cwd: string): Promise<unknown> {
  const { base, document } = call
  if (document !== undefined)
    return parsed(document, isAddress(document) ? await fetched(document) : textIn(document, cwd))
  for (const name of ['openapi.json', 'openapi.yaml']) {
    const text = await fetchedAs(call, `${base}/${name}`).catch((error: unknown) => {
      // Nobody listens: another name would not help.
      if (!(error instanceof NoDocument)) throw error
    })
    if (text !== undefined) return parsed(`${base}/${name}`, text)
  }
  throw new UsageError(
    `${base} serves no openapi.json and no openapi.yaml. Give the document with --document, or a target file with --target.`,
  )
}

/** The service answers, and not with a document. */
class NoDocument extends UsageError {}

/** The service asks for credentials. */
class NoAccess extends NoDocument {}

async function fetchedAs(call: CheckCall, address: string): Promise<string> {
  try {
    return await fetched(address)
  } catch (error) {
    const sources = sourcesOf(call).slice(0, 1)
    if (!(error instanceof NoAccess) || sources.length === 0) throw error
    const [principal] = await principalsOf(sources)
    if (principal === undefined) throw error
    const caller = { kind: 'principal', name: principal.name } as const
    return fetched(address, credentialOf(caller, new Map([[principal.name, principal]])))
  }
}

async function fetched(address: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  let response: Response
  try {
    // A redirect could take the token elsewhere.
    response = await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(patience) })
  } catch (error) {
    throw new UsageError(`${address} can not be asked: ${messageOf((error as { cause?: unknown }).cause ?? error)}`)
  }
  if (response.status === 200) return response.text()
  const Fault = response.status === 401 ? NoAccess : NoDocument
  throw new Fault(`${address} answered ${response.status} and no document.`)
}

/** An address has no end by which YAML can be told, so JSON is tried first. */
function parsed(source: string, text: string): unknown {
  const name = /\.ya?ml$/.test(source) || !/^\s*[{[]/.test(text) ? `${source.replace(/\.ya?ml$/, '')}.yaml` : source
  const document = parseDocument(text, name)
  if (isDocument(document)) return document
  throw new UsageError(`${source} is no OpenAPI document of version 3.0 or 3.1.`)
}

function textIn(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new UsageError(`${file} can not be read: ${messageOf(error)}`)
  }
}

/** A file in JSON or YAML. */
export const valueIn = (file: string, cwd: string): unknown => parseDocument(textIn(file, cwd), file)

/** The target file, checked. */
export function targetIn(file: string, cwd: string): TargetFile {
  try {
    return readTarget(valueIn(file, cwd))
  } catch (error) {
    if (isConfigurationError(error)) throw new UsageError(`${file}: ${error.message}`)
    throw error
  }
}

/** The principals that flags name: the first one reads everything. */
export function sourcesOf({ variables, command, header }: CheckCall): readonly PrincipalSource[] {
  const carrier = header === undefined ? {} : { header }
  const named = variables.map((variable) => ({ name: variable, variable, ...carrier }))
  return command === undefined ? named : [{ name: 'main', command, variable: 'MAIN_TOKEN', ...carrier }, ...named]
}

/** Gets the tokens. Throws `UsageError` that never holds one. */
export async function principalsOf(
  sources: readonly PrincipalSource[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<readonly Principal[]> {
  return Promise.all(
    sources.map(async ({ command, ...source }) => {
      const token = command === undefined ? tokenIn(source, env) : await printed(source.name, command)
      return { ...source, token }
    }),
  )
}

function tokenIn({ name, variable }: PrincipalSource, env: NodeJS.ProcessEnv): string {
  if (variable === undefined)
    throw new UsageError(`The principal "${name}" has neither a variable nor a command for its token.`)
  const token = env[variable]?.trim() ?? ''
  if (token !== '') return token
  throw new UsageError(`The variable ${variable} is not set. Set it to a token of "${name}".`)
}

async function printed(name: string, command: string): Promise<string> {
  try {
    const token = (await promisify(exec)(command, { timeout: patience })).stdout.trim()
    if (/^\S+$/.test(token)) return token
  } catch {
    // What it printed may hold a secret: the message says nothing of it.
  }
  throw new UsageError(`The command for the token of "${name}" failed, or did not print one word.`)
}
