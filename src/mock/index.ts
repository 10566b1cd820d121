/**
 * `express-rest-conventions/mock`: example records, and examples for OpenAPI documents. Both are
 * generated from the schemas of a service.
 */
export type { ExampleSource } from '../plan/example-source.js'
export { type ExampleRecordsOptions, exampleRecords } from './example-records.js'
export { type GeneratedExamplesOptions, generatedExamples } from './generated-examples.js'
