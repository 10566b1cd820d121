/** Each client has a fixed token. */
const callers = new Map([
  ['office-token', 'office'],
  ['scanner-token', 'scanner'],
  ['shop-token', 'shop'],
  ['billing-token', 'billing'],
])

module.exports = function authenticate(req, res, next) {
  const token = (req.headers.authorization || '').replace('Bearer ', '')
  req.caller = callers.get(token)
  if (req.caller === undefined) return res.status(401).json({ error: 'unknown token' })
  next()
}
