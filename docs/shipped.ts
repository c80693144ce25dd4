import { addShippedRoutes } from '../src/app/shipped-routes.ts'
import { openStore } from '../src/app/store.ts'
import { createQueue } from '../src/bot/jobs/job-queue.ts'
import { createRoutes, type MessageShortcut, type RouteTable } from '../src/bot/routes/routes.ts'
import { createCertOrders } from '../src/features/cert-orders/create-cert-orders.ts'
import { createService } from '../src/service/service.ts'

export interface Shipped extends Pick<RouteTable, 'verbs' | 'forms'> {
  readonly shortcuts: readonly MessageShortcut[]
}

/** Everything that people can ask of what is shipped; neither the service nor a stored row is read for it. */
export async function readShipped(): Promise<Shipped> {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const baseUrls = { production: 'http://api.invalid', ote: 'http://ote.invalid' }
  await using service = createService({ baseUrls })
  const parts = {
    connections: store.connections,
    service,
    configured: {},
    hasOte: true,
    baseUrls,
    prefix: '',
    leftOut: new Set<string>(),
    pollMs: 60_000,
  }
  const adminsOf = async () => []
  const orders = createCertOrders({ ...UNSENT, store, now: () => new Date() }).routes
  const queue = createQueue(store.work, () => undefined)
  const routes = createRoutes()
  const shortcuts: MessageShortcut[] = []
  // The table finds a shortcut by its id alone; here they are all wanted.
  Object.assign(routes, { shortcut: (shortcut: MessageShortcut) => void shortcuts.push(shortcut) })
  const { report } = UNSENT
  addShippedRoutes(routes, {
    report,
    ...parts,
    isForbidden: () => true,
    queue,
    store,
    adminsOf,
    wake: () => undefined,
    orders,
  })
  return { verbs: routes.verbs, forms: routes.forms, shortcuts }
}

const unsent = () => Promise.reject(new Error('Nothing is told while a page is written.'))
const UNSENT = {
  poster: {
    ...{ post: unsent, reply: unsent, direct: unsent },
    ...{ find: unsent, findDirect: unsent, edit: unsent },
  },
  postOnce: unsent,
  lostPosts: { lookOnly: unsent, pending: unsent },
  mayPost: unsent,
  findHolders: unsent,
  nameOf: unsent,
  apiOf: unsent,
  mayApprove: unsent,
  engine: () => undefined,
  createReference: () => '',
  report: () => undefined,
}
