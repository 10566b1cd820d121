/** Addresses of a version at which it serves a document that describes it. */

/** One address: `openapi` by `Accept`, or by a name that says the format. */
export interface ServedDocument {
  readonly kind: 'document'
  /** The segment below the version. */
  readonly name: string
  /** What it can be had in, the preferred one first. */
  readonly mediaTypes: readonly string[]
  /** Whether it is served without authentication. */
  readonly public: boolean
}

const jsonTypes = ['application/json', 'application/vnd.oai.openapi+json'] as const
const yamlTypes = ['application/yaml', 'application/vnd.oai.openapi', 'text/yaml'] as const

/** True for the media types that are YAML (RFC 9512). */
export const isYaml = (mediaType: string): boolean => yamlTypes.some((type) => type === mediaType)

/**
 * The addresses of a version's document. PATH-4 knows no format in a path: the last two are for
 * tools that send no `Accept` and go by the name.
 */
export const servedDocuments = (open: boolean): readonly ServedDocument[] => [
  { kind: 'document', name: 'openapi', mediaTypes: [...jsonTypes, ...yamlTypes], public: open },
  { kind: 'document', name: 'openapi.json', mediaTypes: jsonTypes, public: open },
  { kind: 'document', name: 'openapi.yaml', mediaTypes: yamlTypes, public: open },
]
