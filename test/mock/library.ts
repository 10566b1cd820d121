/** What the service of these tests is made with. */
export { bearer, scopePermission } from '../../src/auth/index.js'
export { type ApiOptions, adapterView, api, defineResource, endpoint, mount, resourceRouter } from '../../src/index.js'
