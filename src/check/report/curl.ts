/**
 * Writes requests as `curl` commands for a POSIX shell. The commands read tokens from environment
 * variables.
 */
import { shellWord } from '../../docs/curl.js'
import { header } from '../../wire.js'
import type { Request } from '../client/exchange.js'
import {
  alteredEnd,
  alteredLength,
  carrierOf,
  type Principal,
  unsignedHead,
  variableOf,
  wrongPassword,
} from '../client/principals.js'

/** The command that sends a request, and prints the head and the body of the response. */
export const curlOf = (request: Request, principals: ReadonlyMap<string, Principal>): string =>
  ['curl', '-i', ...requestWords(request, principals)].join(' ')

/** How the strings of a request are written in a shell command. */
export interface Words {
  /** Writes a string as one word of a shell command. */
  readonly word: (text: string) => string
  /** The word for the body of the request. Default: the body itself. */
  readonly body?: string | undefined
}

/** The arguments of `curl` for a request, without options for the output. */
export function requestWords(
  request: Request,
  principals: ReadonlyMap<string, Principal>,
  { word, body }: Words = { word: shellWord },
): readonly string[] {
  const { method, url, headers } = request
  const how = method === 'HEAD' ? ['--head'] : method === 'GET' ? [] : ['-X', shellWord(method)]
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', word(`${name}: ${value}`)])
  const data = request.body === undefined ? [] : ['--data-binary', body ?? word(request.body)]
  return [
    '-sS',
    '--globoff',
    '--path-as-is',
    ...how,
    ...credentialWords(request, principals),
    ...fields,
    ...data,
    word(url),
  ]
}

/** The environment variables that the commands read. */
export const variablesOf = (
  requests: readonly Request[],
  principals: ReadonlyMap<string, Principal>,
): readonly string[] => [
  ...new Set(
    requests.flatMap(({ caller }) => {
      if (caller.kind === 'account') return ['LOGIN_USER', 'LOGIN_PASSWORD']
      if (caller.kind === 'wrong-password') return ['LOGIN_USER']
      if (caller.kind === 'session') return ['LOGIN_TOKEN']
      const principal = 'name' in caller ? principals.get(caller.name) : undefined
      return principal === undefined ? [] : [variableOf(principal)]
    }),
  ),
]

function credentialWords({ caller }: Request, principals: ReadonlyMap<string, Principal>): readonly string[] {
  if (caller.kind === 'account') return ['-u', '"$LOGIN_USER:$LOGIN_PASSWORD"']
  if (caller.kind === 'wrong-password') return ['-u', `"$LOGIN_USER:${wrongPassword}"`]
  if (caller.kind === 'session') return ['-H', `"${header.token}: $LOGIN_TOKEN"`]
  if (caller.kind === 'basic') return ['-u', shellWord(`${caller.user}:${caller.password}`)]
  const [first] = principals.values()
  const principal = 'name' in caller ? principals.get(caller.name) : caller.kind === 'forged' ? first : undefined
  if (principal === undefined) return []
  const { name, scheme } = carrierOf(principal)
  if (caller.kind === 'forged') return ['-H', shellWord(`${name}: ${scheme}${caller.token}`)]
  const variable = variableOf(principal)
  return ['-H', `"${name}: ${scheme}${tokenText(variable, caller.kind)}"`]
}

/** The shell expression for a token, for use between double quotes. */
function tokenText(variable: string, kind: Request['caller']['kind']): string {
  if (kind === 'altered') return `\${${variable}%${'?'.repeat(alteredLength)}}${alteredEnd}`
  if (kind === 'unsigned') return `${unsignedHead}.$(printf %s "$${variable}" | cut -d. -f2).`
  return `$${variable}`
}
