/**
 * Checks the same tokens with the library. A 401 response now has the header field
 * `WWW-Authenticate`, and does not reveal the token.
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
