/** The forms of representations: of records as they are on the wire, where link objects stand in the place of keys (REP-1, REP-2, HDR-1). */
import type { Link } from '../definition/resource.js'
import { isNcName } from '../http/xml-text.js'
import { type Form, formOf, formOfKind, listOf, openForm } from './form.js'
import type { ResourcePlan } from './resource-plan.js'

/** What a value on the wire is called and made of, for formats that name and type everything. */
export interface Wire {
  /** The name of the whole. */
  readonly root: string
  /** The name of each member, where the whole is a list of them. */
  readonly item?: string
  readonly form: Form
}

/** A resource's representations: of one item, and of a list. */
export interface WireForms {
  readonly item: Wire
  readonly list: Wire
}

/**
 * The forms of a resource. `target` gives that of the items which a link expands to, and is asked when somebody looks there: resources may lead to each other. Links of
 * a resource on hand-written routes lead nowhere.
 */
export function wireForms(plan: ResourcePlan, target: (link: string) => Form = () => openForm): WireForms {
  const { collection, singular } = plan.definition
  const form = new RecordForm(plan, target)
  const item = wireName(singular, 'item')
  return { item: { root: item, form }, list: { root: wireName(collection, 'list'), item, form: listOf(form) } }
}

/** A segment as the name of an element: a few that a path can hold, such as `3d-models`, XML can't. */
export const wireName = (segment: string, otherwise: string): string => (isNcName(segment) ? segment : otherwise)

const text = formOfKind('string')

/** A record on the wire. */
class RecordForm implements Form {
  readonly kind = 'object'
  readonly #plan: ResourcePlan
  readonly #target: (link: string) => Form
  readonly #links = new Map<string, Form>()

  constructor(plan: ResourcePlan, target: (link: string) => Form) {
    this.#plan = plan
    this.#target = target
  }

  member(name: string): Form {
    const link = this.#plan.links.get(name)
    return link === undefined || link.kind === 'external' ? formOf(this.#plan.definition.shape).member(name) : this.#link(link)
  }

  item(): Form {
    return openForm
  }

  #link(link: Link): Form {
    const known = this.#links.get(link.name)
    if (known !== undefined) return known
    const form = linkForm(link.kind === 'to' ? this.#target(link.name) : openForm)
    this.#links.set(link.name, form)
    return form
  }
}

/** A link object, brief or expanded: beside `href` it has members of its target. */
const linkForm = (target: Form): Form => ({
  kind: 'object',
  member(name) {
    const own = target.member(name)
    return name === 'href' && own.kind === undefined ? text : own
  },
  item: () => openForm,
})
