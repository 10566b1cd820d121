/** Compares how the parts of a form are written (OpenAPI 3.1, Encoding Object): media types, style, header fields. */
import { own } from '../definition/json.js'
import type { Found } from './changes.js'
import { isSentAt, type Pair } from './findings.js'
import { schemaOf } from './flatten.js'
import type { OwnKind } from './kinds.js'
import { holds, normalType } from './media-types.js'
import { child, type Place, type Source, textAt } from './nodes.js'
import { type Shape, shapesOf } from './shape.js'

/** One member of a form: how it is written, and what it is. */
interface Part {
  readonly name: string
  readonly encoding: Place | undefined
  readonly shapes: readonly Shape[]
  readonly source: Source
}

/** Adds a change of a form. */
type Add = (kind: OwnKind, found: Pick<Found, 'what' | 'so' | 'before' | 'after' | 'detail' | 'place'>) => void

export interface FormWords {
  readonly place: 'request' | 'response' | 'delivery' | 'reply'
  /** The body in words. */
  readonly words: string
  readonly at: string
  readonly add: Add
}

const isSent = ({ place }: FormWords): boolean => isSentAt(place)

/** Compares the parts that both sides have. `pair`: the media types of a form, with `schema` and `encoding`. */
export function compareEncoding(pair: Pair<Place>, sources: Pair<Source>, form: FormWords): void {
  const [before, after] = [partsOf(sources.before, pair.before), partsOf(sources.after, pair.after)]
  for (const [name, old] of before) {
    const young = after.get(name)
    if (young === undefined || (old.encoding === undefined && young.encoding === undefined)) continue
    compareTypes(old, young, form)
    compareStyle(old, young, form)
    compareFields(old, young, form)
  }
}

function partsOf(source: Source, media: Place): ReadonlyMap<string, Part> {
  const encodings = source.members(source.member(media, 'encoding'))
  const schema = child(media, 'schema')
  const shapes = schema.value === undefined ? [] : shapesOf(source, schemaOf(schema))
  const parts = shapes.flatMap(({ properties }) =>
    [...properties].map(
      ([name, member]) =>
        [name, { name, encoding: encodings.get(name), shapes: shapesOf(source, member), source }] as const,
    ),
  )
  return new Map(parts)
}

const rest = ({ name, encoding }: Part, young: Part, { at }: FormWords) => ({
  before: encoding,
  after: young.encoding,
  place: `${at} part "${name}"`,
})

const wordsOf = ({ name }: Part, { words }: FormWords): string => `the part "${name}" of ${words}`

function compareTypes(old: Part, young: Part, form: FormWords): void {
  const [before, after] = [typesOf(old), typesOf(young)]
  const lost = before.filter((type) => !after.some((other) => holds(other, type)))
  const gained = after.filter((type) => !before.some((other) => holds(other, type)))
  const so = isSent(form) ? 'clients that send it get 415' : 'clients that know only what was there before fail'
  for (const type of lost)
    form.add(isSent(form) ? 'part-type-refused' : 'part-type-removed', {
      ...rest(old, young, form),
      detail: type,
      what: `${wordsOf(old, form)} is no longer ${type}`,
      so,
    })
  for (const type of gained)
    form.add(isSent(form) ? 'part-type-added' : 'part-type-unknown', {
      ...rest(old, young, form),
      detail: type,
      what: `${wordsOf(old, form)} may be ${type} now`,
      so,
    })
}

/** The media types of a part: what is said, else what its schema makes it (OpenAPI 3.1, 4.8.15). */
function typesOf({ encoding, shapes }: Part): readonly string[] {
  const said = textAt(encoding, 'contentType')
  return said === undefined ? [usualType(shapes)] : said.split(',').map(normalType)
}

function usualType(shapes: readonly Shape[]): string {
  const [shape] = shapes
  if (shape === undefined || shapes.length > 1) return 'application/json'
  const { types, opaque } = shape
  if (types.has('array') || types.has('object'))
    return types.size === 6 ? 'application/octet-stream' : 'application/json'
  return types.has('string') && opaque.has('contentEncoding') ? 'application/octet-stream' : 'text/plain'
}

function compareStyle(old: Part, young: Part, form: FormWords): void {
  if (styleOf(old) === styleOf(young)) return
  const what = `${wordsOf(old, form)} is written in another way (style, explode)`
  const so = isSent(form) ? 'clients that send it as before get 400 or 422' : 'clients that read it as before fail'
  form.add('part-style-changed', { ...rest(old, young, form), what, so })
}

/** How several values are written; of one there is one way. */
function styleOf({ encoding, shapes }: Part): string {
  if (shapes.every(({ types }) => !types.has('array') && !types.has('object'))) return 'plain'
  const style = textAt(encoding, 'style') ?? 'form'
  return `${style} ${String(own(encoding?.value, 'explode') ?? style === 'form')}`
}

function compareFields(old: Part, young: Part, form: FormWords): void {
  const [before, after] = [fieldsOf(old), fieldsOf(young)]
  const needed = isSent(form) ? { has: after, lacks: before } : { has: before, lacks: after }
  for (const [name, { required, place }] of needed.has) {
    const other = needed.lacks.get(name)
    if (isSent(form) ? !required || other?.required === true : other !== undefined) continue
    const places = { ...rest(old, young, form), detail: name, ...(isSent(form) ? { after: place } : { before: place }) }
    if (isSent(form))
      form.add('part-header-required', {
        ...places,
        what: `${wordsOf(old, form)} must have the header ${name} now`,
        so: 'clients that leave it out get 400',
      })
    else
      form.add('part-header-removed', {
        ...places,
        what: `the header ${name} of ${wordsOf(old, form)} is gone`,
        so: 'clients that read it find nothing',
      })
  }
}

interface Field {
  readonly required: boolean
  readonly place: Place
}

function fieldsOf({ encoding, source }: Part): ReadonlyMap<string, Field> {
  const fields = [...source.members(source.member(encoding, 'headers'))].filter(
    ([name]) => name.toLowerCase() !== 'content-type',
  )
  return new Map(
    fields.map(([name, place]) => [name.toLowerCase(), { required: own(place.value, 'required') === true, place }]),
  )
}

/** Whether a media type is a form, whose parts are members of its schema. */
export const isForm = (type: string): boolean => /^(?:multipart\/|application\/x-www-form-urlencoded)/.test(type)
