import type { Database } from './database.ts'
import { answerError, type Reply, type Server } from './http.ts'
import { errorObject, jsonApiErrors } from './http-error.ts'
import { type OrderBody, readOrder } from './order-body.ts'
import { getBodyBytes, readJson } from './read-body.ts'

const FIRST_ID = 500_001
const JSON_API = 'application/vnd.api+json'

const PRODUCTS = [
  { id: '101', name: 'Domain validated, one name' },
  { id: '102', name: 'Domain validated, wildcard' },
  { id: '201', name: 'Organization validated, one name' },
  { id: '202', name: 'Organization validated, up to 250 names' },
  { id: '301', name: 'Extended validation' },
]

const ORGANIZATIONS = [
  { id: '7001', name: 'Example Group' },
  { id: '7002', name: 'Example Shops' },
  { id: '7003', name: 'Example Media' },
]

const jsonApiList = (type: string, items: readonly { id: string; name: string }[]) => ({
  data: items.map(({ id, name }) => ({ type, id, attributes: { name } })),
})

/**
 * Adds the routes for certificate orders, products, and organizations. Orders are stored and stay pending forever. The API doesn't
 * document the lists of products and organizations, but one of its public clients uses them.
 */
export function addOrderRoutes(
  server: Server,
  { db, environment }: { db: Database; environment: string },
): void {
  server.register(async (scope) => {
    scope.setErrorHandler((error: Error, _request, reply) =>
      answerError(error, reply, (status, problems) =>
        (status === 400 ? jsonApiErrors : errorObject)(status, problems),
      ),
    )
    scope.post('/ssl/v2/orders', async (request, reply) => {
      const order = readOrder(readJson(request))
      const created = new Date().toISOString()
      const { id } = db.run(
        'INSERT INTO placed_order (id, environment, body, created_at) VALUES ((SELECT coalesce(max(id) + 1, ?) FROM placed_order), ?, ?, ?)',
        [FIRST_ID, environment, getBodyBytes(request).toString('utf8'), created],
      )
      return sendJsonApi(reply, orderDocument(String(id), order, created))
    })
  })

  server.get('/ssl/v2/products', async (_request, reply) =>
    sendJsonApi(reply, jsonApiList('product', PRODUCTS)),
  )
  server.get('/ssl/v2/organizations', async (_request, reply) =>
    sendJsonApi(reply, jsonApiList('organization', ORGANIZATIONS)),
  )
}

function sendJsonApi(reply: Reply, document: object): Reply {
  // Sent as bytes, because Fastify would add a charset to text, and JSON:API doesn't allow that parameter.
  return reply.header('content-type', JSON_API).send(Buffer.from(JSON.stringify(document)))
}

function orderDocument(id: string, { data }: OrderBody, createdAt: string): object {
  const { action, duration, order_reference } = data.attributes
  return {
    data: {
      type: 'order',
      id,
      attributes: {
        status: 'pending',
        action,
        duration,
        created_at: createdAt,
        ...(order_reference !== undefined && { order_reference }),
      },
      relationships: { certificate: { data: null }, ...data.relationships },
    },
  }
}

interface StoredOrder {
  id: string
  time: string
  /** The body, exactly as received. */
  text: string
}

/** All placed orders, oldest first. */
export function listOrders(db: Database, environment: string): StoredOrder[] {
  return db.all(
    'SELECT CAST(id AS TEXT) AS id, created_at AS time, body AS text FROM placed_order WHERE environment = ? ORDER BY id',
    [environment],
  )
}
