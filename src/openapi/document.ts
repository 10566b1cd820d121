/** The types of an OpenAPI document. They contain only the members that this library writes. */
import type { JsonObject } from '../definition/json.js'

/** A JSON Schema in a document. */
export type DocumentSchema = Readonly<JsonObject>

/** A reference such as `#/components/...`. */
export interface Reference {
  readonly $ref: string
}

/** One method of a path. */
export interface DocumentOperation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly unknown[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
  readonly [extension: `x-${string}`]: unknown
}

/**
 * The operations of a path, by method in lower case, together with the members that the operations
 * share.
 */
export type DocumentPath = Readonly<Record<string, unknown>>

/** An OpenAPI document: plain JSON. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: Readonly<JsonObject> & { readonly title: string; readonly version: string }
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  readonly tags?: readonly (Readonly<JsonObject> & { readonly name: string })[]
  readonly paths: Readonly<Record<string, DocumentPath>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly [extension: `x-${string}`]: unknown
}
