/** Requests as `curl` commands of a POSIX shell. Tokens are taken from environment variables. */
import { shellWord } from '../../docs/curl.js'
import type { Request } from '../client/exchange.js'
import { alteredEnd, alteredLength, carrierOf, type Principal, variableOf } from '../client/principals.js'

/** A request as one command that prints the status, the header fields and the body of the answer. */
export function curlOf(request: Request, principals: ReadonlyMap<string, Principal>): string {
  const { method, url, headers, body } = request
  const how = method === 'HEAD' ? ['--head'] : method === 'GET' ? [] : ['-X', shellWord(method)]
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', shellWord(`${name}: ${value}`)])
  const data = body === undefined ? [] : ['--data-binary', shellWord(body)]
  return [
    'curl',
    '-sS',
    '-i',
    '--globoff',
    '--path-as-is',
    ...how,
    ...credentialWords(request, principals),
    ...fields,
    ...data,
    shellWord(url),
  ].join(' ')
}

/** The variables that the commands read. */
export const variablesOf = (
  requests: readonly Request[],
  principals: ReadonlyMap<string, Principal>,
): readonly string[] => [
  ...new Set(
    requests.flatMap(({ caller }) => {
      const principal =
        caller.kind === 'principal' || caller.kind === 'altered' ? principals.get(caller.name) : undefined
      return principal === undefined ? [] : [variableOf(principal)]
    }),
  ),
]

function credentialWords({ caller }: Request, principals: ReadonlyMap<string, Principal>): readonly string[] {
  const [first] = principals.values()
  const principal =
    caller.kind === 'nobody' ? undefined : caller.kind === 'forged' ? first : principals.get(caller.name)
  if (principal === undefined) return []
  const { name, scheme } = carrierOf(principal)
  if (caller.kind === 'forged') return ['-H', shellWord(`${name}: ${scheme}${caller.token}`)]
  const variable = variableOf(principal)
  const token = caller.kind === 'altered' ? `\${${variable}%${'?'.repeat(alteredLength)}}${alteredEnd}` : `$${variable}`
  return ['-H', `"${name}: ${scheme}${token}"`]
}
