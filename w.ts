import { adapterView, defineResource, mount } from 'express-rest-conventions'
import { memoryAdapter } from 'express-rest-conventions/memory'
import { bearer } from 'express-rest-conventions/auth'
const nuevo = defineResource({ collection: 'clientes', key: 'id', schema: { type: 'object', required: ['id', 'razonSocial'], properties: { id: { type: 'integer' }, razonSocial: { type: 'string' } } } })
const viejo = defineResource({ collection: 'clientes', key: 'id', schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { type: 'integer' }, nombre: { type: 'string' } } } })
export const view = adapterView(memoryAdapter(nuevo), { rename: { nombre: 'razonSocial' } })
mount(viejo, view)
mount(viejo, adapterView(memoryAdapter(nuevo), { rename: { nombre: 'razonSocial' } }))
export const who = bearer({ keys: { algorithm: 'HS256', key: 'x' } })
