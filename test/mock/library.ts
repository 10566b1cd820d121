/** Imports for the services of these tests. */
export { bearer, scopePermission } from '../../src/auth/index.js'
export { type ApiOptions, adapterView, api, defineResource, endpoint, mount, resourceRouter } from '../../src/index.js'
