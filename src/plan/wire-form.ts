/** The forms of representations: of records as they are on the wire, where link objects stand in the place of keys (REP-1, REP-2, HDR-1). */
import type { Link } from '../definition/resource.js'
import { isNcName } from '../http/xml-text.js'
import { type Form, formOf, listOf, openForm } from './form.js'
import type { ResourcePlan } from './resource-plan.js'
import type { Mounted } from './routes.js'

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

const made = new WeakMap<Mounted, WireForms>()

/** The forms of a resource in its place. What its links expand to is part of them. */
export function wireForms(mounted: Mounted): WireForms {
  const known = made.get(mounted)
  if (known !== undefined) return known
  const forms = formsOf(mounted.plan, (link) => wireForms(mounted.targets.get(link) as Mounted).item.form)
  made.set(mounted, forms)
  return forms
}

/** The same of a resource whose links lead nowhere: hand-written routes know no others. */
export const plainWireForms = (plan: ResourcePlan): WireForms => formsOf(plan, () => openForm)

function formsOf(plan: ResourcePlan, target: (link: string) => Form): WireForms {
  const { collection, singular } = plan.definition
  const form = new RecordForm(plan, target)
  const item = wireName(singular, 'item')
  return { item: { root: item, form }, list: { root: wireName(collection, 'list'), item, form: listOf(form) } }
}

/** A segment as the name of an element: a few that a path can hold, such as `3d-models`, XML can't. */
export const wireName = (segment: string, otherwise: string): string => (isNcName(segment) ? segment : otherwise)

const text: Form = Object.freeze({ kind: 'string', member: () => openForm, item: () => openForm })

/** A record on the wire. Targets are looked up when asked for, since resources may lead to each other. */
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
