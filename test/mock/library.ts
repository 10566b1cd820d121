/** The exports of the library that the services of these tests use. */
export { bearer, scopePermission } from '../../src/auth/index.js'
export { type ApiOptions, adapterView, api, defineResource, endpoint, mount, resourceRouter } from '../../src/index.js'
