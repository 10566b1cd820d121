/**
 * The participants of a workload: servers of this checkout, and with `--against`, servers of the
 * other checkout.
 */
import type { Options } from '../options.js'
import { otherSuffix } from '../report/result.js'
import { hasWorkload, isThere, type ServerName, type ServerRow, serverNames, servers } from '../servers/index.js'
import type { Workload } from '../workloads/index.js'

export interface Participant {
  readonly id: string
  readonly server: ServerName
  readonly title: string
  readonly checkout: string
  readonly alwaysSecured: boolean
  readonly ours: boolean
}

export interface Selection {
  readonly participants: readonly Participant[]
  /**
   * A message for each checkout without `express-rest-conventions/server`. Each message lists the
   * servers that were skipped.
   */
  readonly leftOut: readonly string[]
}

/**
 * Selects the participants. A server and its counterpart in the other checkout are adjacent, so
 * that they run one after the other.
 */
export function selectParticipants(
  { servers: asked, against }: Pick<Options, 'servers' | 'against'>,
  checkout: string,
): Selection {
  const isOurs = (name: ServerName): boolean => (servers[name] as ServerRow).ours === true
  const names = asked ?? serverNames.filter((name) => against === undefined || isOurs(name))
  const missing = new Map<string, string[]>()
  const participants = names.flatMap((server) => {
    const { title, alwaysSecured = false, ours = false }: ServerRow = servers[server]
    const places = [
      { id: server, checkout },
      ...(against !== undefined && ours ? [{ id: `${server}${otherSuffix}`, checkout: against }] : []),
    ]
    return places.flatMap((place) => {
      if (isThere(server, place.checkout)) return [{ ...place, server, title, alwaysSecured, ours }]
      missing.set(place.checkout, [...(missing.get(place.checkout) ?? []), place.id])
      return []
    })
  })
  const leftOut = [...missing].map(([where, ids]) => {
    return (
      `Skipped: ${ids.join(', ')}, because ` +
      `${where === checkout ? 'this checkout' : 'the other checkout'} has no ` +
      'express-rest-conventions/server.'
    )
  })
  return { participants, leftOut }
}

export const thoseOf = (workload: Workload, participants: readonly Participant[]): readonly Participant[] =>
  participants.filter(({ server }) => hasWorkload(server, workload.servers))
