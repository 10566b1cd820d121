/** Validates values against the schemas of a document. Ajv compiles each schema on first use. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { escapePointer } from '../../definition/json.js'
import { addFormats } from '../../plan/formats.js'
import type { OpenApiDocument } from '../document.js'

const root = 'urn:openapi:document'

/** The validators for the schemas of one document. */
export class Validators {
  readonly #ajv = new Ajv2020({
    strict: false,
    logger: false,
    allErrors: true,
    validateSchema: false,
    meta: false,
    ownProperties: true,
  })
  readonly #made = new Map<string, ValidateFunction>()

  constructor(document: OpenApiDocument) {
    addFormats(this.#ajv)
    this.#ajv.addSchema({ ...document, $id: root })
  }

  /** Returns the faults of a value. `place` is the path of the value's schema in the document. */
  faults(value: unknown, place: readonly string[]): readonly string[] {
    const pointer = place.map((token) => `/${encodeURIComponent(escapePointer(token))}`).join('')
    const validate = this.#made.get(pointer) ?? this.#ajv.compile({ $ref: `${root}#${pointer}` })
    this.#made.set(pointer, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message = 'does not match', params }) => {
      const named = 'additionalProperty' in params ? ` "${String(params.additionalProperty)}"` : ''
      return `${instancePath === '' ? 'The value' : instancePath} ${message}${named}`
    })
  }
}
