/** What the document of the service tells of the branches: hand-written routes are described by hand, next to them. */
import type { DocumentFragment } from 'express-rest-conventions/openapi'

const branch = { $ref: '#/components/schemas/Sucursal' }

/** What `recordAnswer()` and `recordBody()` understand. */
const inEach = (schema: object) => ({ 'application/json': { schema }, 'application/xml': { schema }, 'text/xml': { schema } })

const body = { required: true, content: inEach(branch) }
const tags = ['sucursales']
const shown = { description: 'The branch.', content: inEach(branch) }
const done = { description: 'Done. There is no body.' }

export const sucursalesDescribed: DocumentFragment = {
  tags: [{ name: 'sucursales', description: 'Branches, composed by hand from single middlewares.' }],
  paths: {
    '/sucursales': {
      get: {
        operationId: 'listSucursales',
        summary: 'List sucursales',
        description: 'A page of the branches that match.',
        tags,
        responses: {
          200: { description: 'A page.', content: inEach({ type: 'array', items: branch }) },
          304: { description: 'The client has it already.' },
        },
      },
      head: {
        operationId: 'countSucursales',
        summary: 'Count sucursales',
        description: 'The header fields of the list without a body.',
        tags,
        responses: { 200: { description: 'The header fields.' } },
      },
      post: {
        operationId: 'createSucursal',
        summary: 'Create one of sucursales',
        description: 'Creates a branch; `Location` is its address.',
        tags,
        requestBody: body,
        responses: { 201: { ...shown, description: 'Created.' } },
      },
      options: {
        operationId: 'optionsSucursales',
        summary: 'List the methods',
        description: 'The methods.',
        tags,
        responses: { 204: done },
      },
    },
    '/sucursales/{nomenclatura}': {
      parameters: [{ name: 'nomenclatura', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getSucursal',
        summary: 'Get one of sucursales',
        description: 'The branch.',
        tags,
        responses: { 200: shown, 304: { description: 'The client has it already.' } },
      },
      head: {
        operationId: 'checkSucursal',
        summary: 'Check for one of sucursales',
        description: '302 where the branch exists.',
        tags,
        responses: { 302: { description: 'It exists.' } },
      },
      put: {
        operationId: 'replaceSucursal',
        summary: 'Replace one of sucursales',
        description: 'Replaces the branch.',
        tags,
        requestBody: body,
        responses: { 200: shown },
      },
      patch: {
        operationId: 'updateSucursal',
        summary: 'Change one of sucursales',
        description: 'Changes the members that are sent.',
        tags,
        requestBody: {
          required: true,
          content: { 'application/merge-patch+json': { schema: { type: 'object', properties: { descripcion: { type: 'string' } } } } },
        },
        responses: { 200: shown },
      },
      delete: {
        operationId: 'deleteSucursal',
        summary: 'Delete one of sucursales',
        description: 'Deletes the branch.',
        tags,
        responses: { 204: done },
      },
      options: { operationId: 'optionsSucursal', summary: 'List the methods', description: 'The methods.', tags, responses: { 204: done } },
    },
  },
  components: {
    schemas: {
      Sucursal: {
        type: 'object',
        required: ['nomenclatura', 'descripcion'],
        properties: { nomenclatura: { type: 'string' }, descripcion: { type: 'string' } },
        additionalProperties: false,
      },
    },
  },
}
