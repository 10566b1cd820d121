/**
 * A hand-written service that violates many clauses. Its responses contain values that could break
 * out of a report: markup, Markdown, control characters, a lone surrogate, huge bodies, and the
 * token that the client sent.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

const markup = `</script></style></pre><script>alert(1)</script><img src="x" onerror="alert(2)">`

const record = (n: number) => ({
  id: n + 1,
  name: n % 5 === 0 ? markup : `order ${n} \u202e\u0007\ud800`,
  note: n === 3 ? 'x'.repeat(100_000) : '`a` \\| ||| **b** @somebody ``` ]]>',
  created: '2026-01-01T00:00:00',
})
const records = Array.from({ length: 23 }, (_, n) => record(n))

export const hostileService: RequestListener = (req, res) => {
  const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost')
  res.setHeader('X-Echo', String(req.headers.authorization))
  res.setHeader('Set-Cookie', 'session=not-for-reports')
  const id = /^\/v1\/orders\/(\d+)$/.exec(pathname)?.[1]
  if (pathname === '/v1/orders') answerList(req, res, searchParams)
  else if (id !== undefined && records[Number(id) - 1] !== undefined)
    answer(req, res, 200, records[Number(id) - 1], { ETag: '"same"' })
  else answer(req, res, 500, { error: markup, sent: req.headers.authorization, big: 'y'.repeat(50_000) })
}

/** Each page from the second on begins one record too early. */
function answerList(req: IncomingMessage, res: ServerResponse, query: URLSearchParams): void {
  const [limit, page] = [Number(query.get('limit') ?? 10), Number(query.get('offest') ?? 1)]
  const from = page === 1 ? 0 : Math.max(0, (page - 1) * limit - 1)
  if (page > 1000) answer(req, res, 404, { error: markup, sent: req.headers.authorization })
  else answer(req, res, 200, records.slice(from, from + limit), { 'X-Total-Count': '23', ETag: 'W/"1"' })
}

function answer(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  body: unknown,
  fields: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, { 'Content-Type': 'application/json', ...fields })
  res.end(req.method === 'HEAD' ? undefined : JSON.stringify(body))
}

/**
 * The OpenAPI document of the service. It is written in YAML by hand so that its line numbers are
 * known: the path of the list is on line 5.
 */
export const hostileDocument = `openapi: 3.1.0
info: { title: Hostile, version: v1 }
security: [{ token: [] }]
paths:
  /v1/orders:
    get:
      parameters:
        - { name: offest, in: query, schema: { type: integer, minimum: 1 } }
        - { name: limit, in: query, schema: { type: integer, maximum: 50 } }
        - { name: name, in: query, schema: { type: string } }
        - { name: sort, in: query, schema: { type: array, items: { enum: [id, name] } } }
      responses:
        '200':
          description: Orders
          headers: { x-total-count: { schema: { type: integer } } }
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Order' } } } }
  /v1/orders/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200':
          description: Order
          content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } }
components:
  schemas:
    Order:
      type: object
      properties: { id: { type: integer }, name: { type: string }, note: { type: string }, created: { type: string } }
`
