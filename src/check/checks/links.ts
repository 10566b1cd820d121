/** Checks of links, expansions and members of items (REP-1..4, REP-8). */
import { canonicalText, isContainer, isObject, type JsonObject } from '../../definition/json.js'
import { parameter } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import { itemsOf, type Listing } from '../listing.js'
import { needsParameter } from '../listings.js'
import { breaks, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { expectStatus, firstBreak } from './expecting.js'

/** A link in an item, with the name of the member that contains it. */
export interface FoundLink {
  readonly name: string
  readonly href: string
  readonly link: JsonObject
}

export const linksOf = (item: JsonObject): readonly FoundLink[] =>
  Object.entries(item).flatMap(([name, link]) =>
    isObject(link) && typeof link.href === 'string' ? [{ name, href: link.href, link }] : [],
  )

/**
 * The links of a few items, grouped by the name of the association. Throws `NotApplicable` if there
 * are no links.
 */
async function linksBy(list: Listing): Promise<ReadonlyMap<string, readonly FoundLink[]>> {
  const found = (await list.items()).flatMap(linksOf)
  if (found.length === 0) throw new NotApplicable(`items of ${list.target.template} show no links`)
  const groups = new Map<string, FoundLink[]>()
  for (const one of found) groups.set(one.name, [...(groups.get(one.name) ?? []), one])
  return groups
}

/** The maximum number of link targets that are requested for each association. */
const maxTargets = 3

export const linkChecks: readonly ListCheck[] = [
  {
    id: 'REP-1/absolute',
    rule: 'The `href` of a link is an absolute URL.',
    why: 'Clients follow links without changing them.',
    fix: 'Begin links with the configured address of the service.',
    async run(list) {
      const groups = await linksBy(list)
      const relative = [...groups.values()].flat().find(({ href }) => !/^https?:\/\/[^/]/.test(href))
      if (relative === undefined) return holds
      return breaks(`an absolute address in "${relative.name}.href"`, relative.href.slice(0, 120), await list.sample())
    },
  },
  {
    id: 'REP-1/brief',
    rule: 'Without `expand`, a link contains only its `href` and scalar members.',
    why: 'Lists stay small, and clients request what they need.',
    fix: 'Leave objects and lists out of links, and offer them by expand.',
    async run(list) {
      const links = [...(await linksBy(list)).values()].flat()
      for (const { name, link } of links) {
        const member = Object.keys(link).find((one) => isContainer(link[one]))
        if (member !== undefined)
          return breaks(`only scalar members in "${name}"`, `"${name}.${member}"`, await list.sample())
      }
      return holds
    },
  },
  {
    id: 'REP-1/reachable',
    rule: 'Links lead to existing resources.',
    why: 'Clients rely on links to find the address of a resource.',
    fix: 'Build links from the addresses that the service serves.',
    async run(list) {
      const groups = [...(await linksBy(list))].filter(([, links]) => links.some(({ href }) => list.service.owns(href)))
      if (groups.length === 0)
        throw new Unchecked(
          'links do not begin with the address that is checked. With --published, give the address that they ' +
            'begin with',
        )
      const found = await firstBreak(groups, async ([name, links]) => {
        const hrefs = [...new Set(links.map(({ href }) => href))]
          .filter((href) => list.service.owns(href))
          .slice(0, maxTargets)
        let last: Exchange | undefined
        for (const href of hrefs) {
          last = await list.service.client.send('GET', list.service.addressOf(href))
          // Some targets may not exist (REP-3), so one existing target is enough. Other statuses,
          // such as 403 and 405, show that the resource exists.
          if (last.answer.status !== 404 && last.answer.status !== 410) return undefined
        }
        if (last === undefined) return undefined
        return breaks(
          `an existing resource for at least one link "${name}"`,
          `404 or 410 for every link that was requested (${hrefs.length})`,
          await list.sample(),
          last,
        )
      })
      return found ?? holds
    },
  },
  {
    id: 'REP-2/full',
    rule: '`expand` replaces a link with the full representation of its target, whose own links stay unexpanded.',
    why: 'Clients save a request for each link, and get the same representation.',
    fix: 'Use the representation that GET of the target returns.',
    async run(list) {
      const names = expandable(list)
      let compared = 0
      const found = await firstBreak(names, async (name) => {
        const item = (await list.items()).find((one) =>
          linksOf(one).some((link) => link.name === name && list.service.owns(link.href)),
        )
        if (item === undefined) return undefined
        const href = (item[name] as JsonObject).href as string
        const whole = await list.service.client.send('GET', list.service.addressOf(href))
        if (whole.answer.status !== 200 || !isObject(whole.answer.json)) return undefined
        const page = await list.list({ [parameter.expand]: name, [parameter.size]: (await list.items()).length })
        const wrong = expectStatus(page, [200], `expand=${name}`)
        if (wrong !== undefined) return wrong
        const same = itemsOf(page).find((one) => list.identityOf(one) === list.identityOf(item))
        if (same === undefined) throw new Unchecked('the list changed while it was read')
        compared += 1
        return differs(name, same[name], whole, page)
      })
      if (found === undefined && compared === 0) throw new Unchecked('no expandable link has a readable target')
      return found ?? holds
    },
  },
  {
    id: 'REP-3/several',
    rule: 'Several links can be expanded at once.',
    why: 'Clients get everything that they need in one request.',
    fix: 'Accept a comma-separated list in expand, and expand each name.',
    async run(list) {
      const names = expandable(list)
      if (names.length < 2) throw new NotApplicable('fewer than two associations can be expanded')
      const size = { [parameter.size]: (await list.items()).length }
      const together = await list.list({ [parameter.expand]: names.join(), ...size })
      const wrong = expectStatus(together, [200], `expand=${names.join()}`)
      if (wrong !== undefined) return wrong
      const found = await firstBreak(names, async (name) => {
        const alone = await list.list({ [parameter.expand]: name, ...size })
        if (alone.answer.status !== 200) return undefined
        const items = new Map(itemsOf(together).map((item) => [list.identityOf(item), item]))
        const lacking = itemsOf(alone).find((item) => {
          const other = items.get(list.identityOf(item))
          return other !== undefined && canonicalText(other[name] ?? null) !== canonicalText(item[name] ?? null)
        })
        if (lacking === undefined) return undefined
        return breaks(`the same value of "${name}" as for expand=${name}`, 'another value', together, alone)
      })
      return found ?? holds
    },
  },
  {
    id: 'QUERY-8/expand-name',
    rule: 'An unknown association in `expand` gets 400.',
    why: 'Otherwise a missing member is the only sign of a misspelt name.',
    fix: 'Refuse unknown names in expand with 400, and name the allowed ones.',
    async run(list) {
      needsParameter(list, parameter.expand)
      const exchange = await list.list({ [parameter.expand]: 'noSuchLink' })
      return expectStatus(exchange, [400], 'an unknown association') ?? holds
    },
  },
  {
    id: 'REP-4/digits',
    rule: 'Date-times without a zone have seven fractional digits.',
    why: 'Clients can compare date-times as strings, and need to parse only one format.',
    fix: 'Write date-times as 2026-01-31T08:30:00.0000000.',
    async run(list) {
      const found = (await list.items()).flatMap((item) => dateTimesIn(item))
      if (found.length === 0)
        throw new NotApplicable(`items of ${list.target.template} show no date-times without a zone`)
      const wrong = found.find((text) => !/\.\d{7}$/.test(text))
      return wrong === undefined ? holds : breaks('seven fractional digits', wrong, await list.sample())
    },
  },
  {
    id: 'REP-8/null',
    rule: 'A member that may be null is present in every response.',
    why: 'Clients can distinguish "no value" from "not included".',
    fix: 'Write null for members without a value, instead of leaving them out.',
    async run(list) {
      const { nullable } = list.target
      if (nullable.length === 0) throw new NotApplicable('the document has no nullable member')
      const lacking = (await list.items()).flatMap((item) => nullable.filter((name) => !(name in item)))
      const [name] = lacking
      return name === undefined ? holds : breaks(`"${name}" in every item`, 'an item without it', await list.sample())
    },
  },
  {
    id: 'REP-8/write-only',
    rule: 'A write-only member is never in a response.',
    why: 'Write-only members are secrets, such as passwords.',
    fix: 'Leave write-only members out of all answers.',
    async run(list) {
      const { writeOnly } = list.target
      if (writeOnly.length === 0) throw new NotApplicable('the document has no write-only member')
      const shown = (await list.items()).flatMap((item) => writeOnly.filter((name) => name in item))
      return shown[0] === undefined ? holds : breaks(`no "${shown[0]}"`, 'an item with it', await list.sample())
    },
  },
]

function expandable({ target }: Listing): readonly string[] {
  if (target.expand === undefined)
    throw new Unchecked('the document does not list the values of "expand". Give "expand" in a target file')
  if (target.expand.length === 0) throw new NotApplicable(`${target.template} has nothing to expand`)
  return target.expand
}

/**
 * Compares an expanded link with `whole`, the representation of its target. The expanded link must
 * have the same members with the same values. It may also keep the `href` of the link.
 */
function differs(name: string, expanded: unknown, whole: Exchange, page: Exchange): Outcome | undefined {
  const members = whole.answer.json as JsonObject
  if (!isObject(expanded)) return breaks(`an object in "${name}"`, typeof expanded, page)
  const other = Object.keys(members).find(
    (one) => canonicalText(members[one]) !== canonicalText(expanded[one] ?? null) || !(one in expanded),
  )
  if (other !== undefined)
    return breaks(`"${name}.${other}" as GET of the target returns it`, 'another value', whole, page)
  const more = Object.keys(expanded).find((one) => !(one in members) && one !== 'href')
  return more === undefined
    ? undefined
    : breaks(`no "${name}.${more}", because GET of the target does not return it`, 'the member', whole, page)
}

const dateTimesIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(dateTimesIn) : []
}
