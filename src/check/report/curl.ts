/** Requests as `curl` commands of a POSIX shell. Tokens are taken from environment variables. */
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

/** A request as one command that prints the head and the body of the response. */
export const curlOf = (request: Request, principals: ReadonlyMap<string, Principal>): string =>
  ['curl', '-i', ...requestWords(request, principals)].join(' ')

/** How the parts of a request are written in a command. */
export interface Words {
  /** A text as a word of the shell. */
  readonly word: (text: string) => string
  /** The word for the body. Default: its text. */
  readonly body?: string | undefined
}

/** The words of `curl` for a request, without options for the output. */
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

/** The variables that the commands read. */
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

/** A token as text between double quotes of a shell. */
function tokenText(variable: string, kind: Request['caller']['kind']): string {
  if (kind === 'altered') return `\${${variable}%${'?'.repeat(alteredLength)}}${alteredEnd}`
  if (kind === 'unsigned') return `${unsignedHead}.$(printf %s "$${variable}" | cut -d. -f2).`
  return `$${variable}`
}
