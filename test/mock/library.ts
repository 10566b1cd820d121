/** The exports of the library that the mocked services use. */
export { bearer, scopePermission } from '../../src/auth/index.js'
export { type ApiOptions, adapterView, api, defineResource, endpoint, mount, resourceRouter } from '../../src/index.js'
