/** Reads the documents, target files and tokens of `check`. */
import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { type Account, credentialOf, type Principal } from '../check/client/principals.js'
import { isDocument } from '../check/target/document-target.js'
import { type AccountSource, type PrincipalSource, readTarget, type TargetFile } from '../check/target/target-file.js'
import { isConfigurationError } from '../problem.js'
import type { CheckCall } from './check-flags.js'
import { fetchText, isAddress, NoAccess, NoDocument, readText, type SourceText } from './document-source.js'
import { formatName, parseDocument } from './document-text.js'
import { UsageError } from './usage-error.js'

/** How long to wait for a command that prints a token, in milliseconds. */
const commandTimeout = 30_000

/** A parsed value, with the text that it was parsed from. */
export interface Parsed<T = unknown> extends SourceText {
  readonly value: T
}

/**
 * Reads the document of a service. The first token is sent only to the service itself, and only if
 * the service refuses to send the document without credentials. Throws `UsageError` if there is no
 * document.
 */
export async function documentOf(call: CheckCall, cwd: string): Promise<Parsed> {
  const { base, document } = call
  if (document !== undefined)
    return parsed(document, isAddress(document) ? await fetchText(document) : readText(document, cwd))
  for (const name of ['openapi.json', 'openapi.yaml']) {
    const text = await fetchedAs(call, `${base}/${name}`).catch((error: unknown) => {
      // If the service does not respond at all, requesting openapi.yaml too would not help.
      if (!(error instanceof NoDocument)) throw error
    })
    if (text !== undefined) return parsed(`${base}/${name}`, text)
  }
  throw new UsageError(
    `${base} serves no openapi.json and no openapi.yaml. Give the document with --document, or a target file ` +
      'with --target.',
  )
}

async function fetchedAs(call: CheckCall, address: string): Promise<string> {
  try {
    return await fetchText(address)
  } catch (error) {
    const sources = sourcesOf(call).slice(0, 1)
    if (!(error instanceof NoAccess) || sources.length === 0) throw error
    const [principal] = await principalsOf(sources)
    if (principal === undefined) throw error
    const caller = { kind: 'principal', name: principal.name } as const
    return fetchText(address, credentialOf(caller, new Map([[principal.name, principal]])))
  }
}

function parsed(name: string, text: string): Parsed {
  const value = parseDocument(text, formatName(name, text))
  if (isDocument(value)) return { name, text, value }
  throw new UsageError(`${name} is not an OpenAPI document of version 3.0 or 3.1.`)
}

/** Parses a file in JSON or YAML. */
export const valueIn = (file: string, cwd: string): unknown => parseDocument(readText(file, cwd), file)

/** Reads and checks the target file. */
export function targetIn(file: string, cwd: string): Parsed<TargetFile> {
  const text = readText(file, cwd)
  try {
    return { name: file, text, value: readTarget(parseDocument(text, file)) }
  } catch (error) {
    if (isConfigurationError(error)) throw new UsageError(`${file}: ${error.message}`)
    throw error
  }
}

/** The principals from the flags. The first principal must be able to read everything. */
export function sourcesOf({ variables, command, header }: CheckCall): readonly PrincipalSource[] {
  const carrier = header === undefined ? {} : { header }
  const named = variables.map((variable) => ({ name: variable, variable, ...carrier }))
  return command === undefined ? named : [{ name: 'main', command, variable: 'MAIN_TOKEN', ...carrier }, ...named]
}

/**
 * Reads the tokens of the principals. Throws `UsageError` if a token is missing. The message never
 * contains a token.
 */
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

/**
 * Reads the user name and the password of the account from environment variables. Throws
 * `UsageError` if one of them is missing. The message never contains the password.
 */
export function accountOf({ user, password }: AccountSource, env: NodeJS.ProcessEnv = process.env): Account {
  const value = (variable: string): string => {
    const text = env[variable] ?? ''
    if (text !== '') return text
    throw new UsageError(`The environment variable ${variable}, which "account" names, is not set.`)
  }
  return { user: value(user), password: value(password) }
}

function tokenIn({ name, variable }: PrincipalSource, env: NodeJS.ProcessEnv): string {
  if (variable === undefined)
    throw new UsageError(`The principal "${name}" has no token. Give "variable" or "command" in the target file.`)
  const token = env[variable]?.trim() ?? ''
  if (token !== '') return token
  throw new UsageError(`The environment variable ${variable} is not set. Set it to a token of "${name}".`)
}

async function printed(name: string, command: string): Promise<string> {
  try {
    const token = (await promisify(exec)(command, { timeout: commandTimeout })).stdout.trim()
    if (/^\S+$/.test(token)) return token
  } catch {
    // The output may contain a secret, so it is not part of the message.
  }
  throw new UsageError(`The command for the token of "${name}" failed, or did not print exactly one word.`)
}
