/** Each client has a fixed token. */
const callers = new Map([
  ['office-token', 'office'],
  ['scanner-token', 'scanner'],
  ['shop-token', 'shop'],
  ['billing-token', 'billing'],
])

module.exports = function authenticate(req, res, next) {
  const token = (req.headers.authorization || '').replace('Bearer ', '')
  req.user = callers.get(token)
  if (req.user === undefined) return res.status(401).json({ error: 'unknown token' })
  next()
}
