import type { Service, ServiceOptions } from './api/service.ts'
import type { Access } from './bot/access/access.ts'
import type { ConfiguredTokens } from './bot/context/make-context.ts'
import type { Queue } from './bot/jobs/job-queue.ts'
import { createRoutes, type RouteTable } from './bot/routes/routes.ts'
import { accessRoutes } from './features/access/routes.ts'
import { alertRoutes } from './features/alerts/routes.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { type CertOrderParts, certOrderRoutes } from './features/cert-orders/routes.ts'
import { connectionRoutes } from './features/connection/routes.ts'
import { healthCheckRoutes } from './features/health-checks/routes.ts'
import { helpRoutes } from './features/help/routes.ts'
import { homeRoutes } from './features/home/routes.ts'
import { threatRoutes } from './features/threats/routes.ts'
import type { Store } from './store/store.ts'
import type { Connections } from './store/workspaces/connections.ts'

export interface FeatureParts {
  connections: Connections
  service: Service
  configured: ConfiguredTokens
  hasOte: boolean
  baseUrls: ServiceOptions['baseUrls']
  prefix: string
  pageSize: number | undefined
  store: Pick<Store, 'grants' | 'settings' | 'audit' | 'workSteps' | 'ephemeralState' | 'channels' | 'cached'>
  /** Granted admins and the installer. */
  adminsOf: Access['adminsOf']
  queue: Queue
  orders: CertOrderParts
}

/** The routing table with every feature in it. */
export function shippedRoutes(parts: FeatureParts): RouteTable {
  const routes = createRoutes()
  addShippedRoutes(routes, parts)
  return routes
}

/** Everything that people can ask for. */
export function addShippedRoutes(routes: RouteTable, parts: FeatureParts): void {
  const { store, adminsOf, orders } = parts
  healthCheckRoutes(routes, parts)
  alertRoutes(routes)
  connectionRoutes(routes, { ...parts, ...store })
  threatRoutes(routes, parts)
  certOrderRoutes(routes, orders)
  accessRoutes(routes, { grants: store.grants, settings: store.settings, adminsOf })
  auditRoutes(routes, store)
  homeRoutes(routes, { ...parts, cached: store.cached })
  helpRoutes(routes, parts)
}
