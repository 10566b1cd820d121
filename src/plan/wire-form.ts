/**
 * The wire forms of representations: records with link objects in place of keys (REP-1, REP-2,
 * HDR-1).
 */
import type { Link } from '../definition/resource.js'
import { isNcName } from '../http/xml-text.js'
import { type Form, formOf, formOfKind, listOf, openForm } from './form.js'
import type { ResourcePlan } from './resource-plan.js'

/** The names and the form of a value on the wire, for formats that name and type everything. */
export interface Wire {
  /** The name of the root. */
  readonly root: string
  /** The name of each item, if the root is a list. */
  readonly item?: string
  readonly form: Form
}

/** The wire forms of a resource: of one item, and of a list. */
export interface WireForms {
  readonly item: Wire
  readonly list: Wire
}

/**
 * The wire forms of a resource. `target` returns the form of a link's target. It is called lazily,
 * because resources may link to each other. In hand-written routes links have no target.
 */
export function wireForms(plan: ResourcePlan, target: (link: string) => Form = () => openForm): WireForms {
  const { collection, singular } = plan.definition
  const form = new RecordForm(plan, target)
  const item = wireName(singular, 'item')
  return { item: { root: item, form }, list: { root: wireName(collection, 'list'), item, form: listOf(form) } }
}

/**
 * A segment as an element name. XML does not allow some segments that paths do, such as
 * `3d-models`.
 */
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
    return link === undefined || link.kind === 'external'
      ? formOf(this.#plan.definition.shape).member(name)
      : this.#link(link)
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

/** A link object, brief or expanded: it has `href` and members of its target. */
const linkForm = (target: Form): Form => ({
  kind: 'object',
  member(name) {
    const own = target.member(name)
    return name === 'href' && own.kind === undefined ? text : own
  },
  item: () => openForm,
})
