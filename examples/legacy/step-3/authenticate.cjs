/**
 * Checks the same tokens as step 0, but with the library. A 401 response now has the header field
 * `WWW-Authenticate`.
 */
const { authenticate } = require('express-rest-conventions/auth')

const clients = new Map([
  ['office-token', 'office'],
  ['scanner-token', 'scanner'],
  ['shop-token', 'shop'],
  ['billing-token', 'billing'],
])

module.exports = authenticate({
  field: 'Authorization',
  challenge: 'Bearer',
  identify: (credentials) => clients.get(credentials.replace('Bearer ', '')),
})
