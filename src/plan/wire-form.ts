/**
 * The element names and JSON types in representations (REP-1, REP-2, HDR-1). In a representation, a
 * link object stands in place of the key of the linked record.
 */
import type { Link } from '../definition/resource.js'
import { isNcName } from '../http/xml-text.js'
import { type Form, formOf, formOfKind, listOf, openForm } from './form.js'
import type { ResourcePlan } from './resource-plan.js'

/**
 * The element names and the JSON types (`form`) of a representation, for formats such as XML that
 * name every value.
 */
export interface Wire {
  /** The name of the root element. */
  readonly root: string
  /** The element name of each item, if the root is a list. */
  readonly item?: string
  readonly form: Form
}

/** The element names and forms of a resource's representations: of one item, and of a list. */
export interface WireForms {
  readonly item: Wire
  readonly list: Wire
}

/**
 * Returns the element names and forms of a resource's representations. `target` returns the form of
 * a link's target. `target` is not called until this form is needed, because resources may link to
 * each other. Hand-written routes use the default `target`, because their links have no known
 * target.
 */
export function wireForms(plan: ResourcePlan, target: (link: string) => Form = () => openForm): WireForms {
  const { collection, singular } = plan.definition
  const form = new RecordForm(plan, target)
  const item = wireName(singular, 'item')
  return { item: { root: item, form }, list: { root: wireName(collection, 'list'), item, form: listOf(form) } }
}

/**
 * Returns a path segment as an element name. XML does not allow some names that are allowed as path
 * segments, such as `3d-models`. In that case, returns `otherwise`.
 */
export const wireName = (segment: string, otherwise: string): string => (isNcName(segment) ? segment : otherwise)

const text = formOfKind('string')

/** The form of a record in a representation. */
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

/**
 * The form of a link object, whether or not the link is expanded. The link object has `href` and
 * members of its target.
 */
const linkForm = (target: Form): Form => ({
  kind: 'object',
  member(name) {
    const own = target.member(name)
    return name === 'href' && own.kind === undefined ? text : own
  },
  item: () => openForm,
})
