/**
 * Compares the encoding of the parts of a form (OpenAPI 3.1, Encoding Object): their media types,
 * styles and header fields.
 */
import { own } from '../definition/json.js'
import type { Found } from './changes.js'
import { isSentAt, type Pair } from './findings.js'
import { schemaOf } from './flatten.js'
import type { OwnKind } from './kinds.js'
import { holds, normalType } from './media-types.js'
import { child, type Place, type Source, textAt } from './nodes.js'
import { type Shape, shapesOf } from './shape.js'

/** One member of a form, with its encoding and its schema. */
interface Part {
  readonly name: string
  readonly encoding: Place | undefined
  readonly shapes: readonly Shape[]
  readonly source: Source
}

/** Reports a change of a form. */
type Add = (kind: OwnKind, found: Pick<Found, 'what' | 'effect' | 'before' | 'after' | 'detail' | 'place'>) => void

export interface FormWords {
  readonly place: 'request' | 'response' | 'delivery' | 'reply'
  /** The name of the body in messages. */
  readonly words: string
  readonly at: string
  readonly add: Add
}

const isSent = ({ place }: FormWords): boolean => isSentAt(place)

/**
 * Compares each part that the form has in both documents. Skips a part for which neither document
 * declares an encoding. `pair` contains the Media Type Object (`schema`, `encoding`) of the form in
 * each document.
 */
export function compareEncoding(pair: Pair<Place>, sources: Pair<Source>, form: FormWords): void {
  const [before, after] = [partsOf(sources.before, pair.before), partsOf(sources.after, pair.after)]
  for (const [name, old] of before) {
    const updated = after.get(name)
    if (updated === undefined || (old.encoding === undefined && updated.encoding === undefined)) continue
    compareTypes(old, updated, form)
    compareStyle(old, updated, form)
    compareFields(old, updated, form)
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

const rest = ({ name, encoding }: Part, updated: Part, { at }: FormWords) => ({
  before: encoding,
  after: updated.encoding,
  place: `${at} part "${name}"`,
})

const wordsOf = ({ name }: Part, { words }: FormWords): string => `the part "${name}" of ${words}`

function compareTypes(old: Part, updated: Part, form: FormWords): void {
  const [before, after] = [typesOf(old), typesOf(updated)]
  const lost = before.filter((type) => !after.some((other) => holds(other, type)))
  const gained = after.filter((type) => !before.some((other) => holds(other, type)))
  const effect = isSent(form)
    ? 'clients that send the part with this type get 415'
    : 'clients that handle only the previous types fail'
  for (const type of lost)
    form.add(isSent(form) ? 'part-type-refused' : 'part-type-removed', {
      ...rest(old, updated, form),
      detail: type,
      what: `${wordsOf(old, form)} is no longer ${type}`,
      effect,
    })
  for (const type of gained)
    form.add(isSent(form) ? 'part-type-added' : 'part-type-unknown', {
      ...rest(old, updated, form),
      detail: type,
      what: `${wordsOf(old, form)} may be ${type} now`,
      effect,
    })
}

/**
 * Returns the media types of a part: those in `contentType`, otherwise the default for the schema
 * of the part (OpenAPI 3.1, 4.8.15).
 */
function typesOf({ encoding, shapes }: Part): readonly string[] {
  const declared = textAt(encoding, 'contentType')
  return declared === undefined ? [defaultType(shapes)] : declared.split(',').map(normalType)
}

function defaultType(shapes: readonly Shape[]): string {
  const [shape] = shapes
  if (shape === undefined || shapes.length > 1) return 'application/json'
  const { types, opaque } = shape
  if (types.has('array') || types.has('object'))
    return types.size === 6 ? 'application/octet-stream' : 'application/json'
  return types.has('string') && opaque.has('contentEncoding') ? 'application/octet-stream' : 'text/plain'
}

function compareStyle(old: Part, updated: Part, form: FormWords): void {
  if (styleOf(old) === styleOf(updated)) return
  const what = `${wordsOf(old, form)} is serialized differently (style, explode)`
  const effect = isSent(form) ? 'clients that send it as before get 400 or 422' : 'clients that read it as before fail'
  form.add('part-style-changed', { ...rest(old, updated, form), what, effect })
}

/**
 * Returns a string that identifies how arrays and objects are serialized. If the part allows
 * neither arrays nor objects, returns `plain`, because scalars are always serialized in the same
 * way.
 */
function styleOf({ encoding, shapes }: Part): string {
  if (shapes.every(({ types }) => !types.has('array') && !types.has('object'))) return 'plain'
  const style = textAt(encoding, 'style') ?? 'form'
  return `${style} ${String(own(encoding?.value, 'explode') ?? style === 'form')}`
}

function compareFields(old: Part, updated: Part, form: FormWords): void {
  const [before, after] = [fieldsOf(old), fieldsOf(updated)]
  const needed = isSent(form) ? { has: after, lacks: before } : { has: before, lacks: after }
  for (const [name, { required, place }] of needed.has) {
    const other = needed.lacks.get(name)
    if (isSent(form) ? !required || other?.required === true : other !== undefined) continue
    const places = {
      ...rest(old, updated, form),
      detail: name,
      ...(isSent(form) ? { after: place } : { before: place }),
    }
    if (isSent(form))
      form.add('part-header-required', {
        ...places,
        what: `${wordsOf(old, form)} must have the header ${name} now`,
        effect: 'clients that leave it out get 400',
      })
    else
      form.add('part-header-removed', {
        ...places,
        what: `the header ${name} of ${wordsOf(old, form)} was removed`,
        effect: 'clients that read it no longer find it',
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

/** Returns whether a media type is a form. The parts of a form are the members of its schema. */
export const isForm = (type: string): boolean => /^(?:multipart\/|application\/x-www-form-urlencoded)/.test(type)
