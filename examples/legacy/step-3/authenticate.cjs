/** The same tokens, by the library: 401 with `WWW-Authenticate`, and never a word of the token. */
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
