/**
 * Hand-written header fields for browsers: secure headers, and CORS fields that let the scripts of
 * one site (the shop) read responses.
 */

export const shop = 'https://shop.example'

const exposed = ['ETag', 'Location', 'Link', 'X-Total-Count', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy']

/** The options of the npm package `cors`. */
export const corsOptions = {
  origin: [shop],
  methods: ['GET', 'HEAD', 'POST', 'PATCH'],
  allowedHeaders: ['Authorization', 'Content-Type', 'If-Match', 'If-None-Match'],
  exposedHeaders: exposed,
  maxAge: 600,
}

/**
 * The settings of `corsOptions` as header fields of a response to the shop. Servers that do not use
 * the package `cors` send these fields.
 */
export const corsFields = {
  'access-control-allow-origin': shop,
  vary: 'Origin',
  'access-control-expose-headers': exposed.join(','),
}

export const preflightFields = {
  'access-control-allow-origin': shop,
  vary: 'Origin',
  'access-control-allow-methods': corsOptions.methods.join(','),
  'access-control-allow-headers': corsOptions.allowedHeaders.join(','),
  'access-control-max-age': String(corsOptions.maxAge),
}

export const secureFields = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}
