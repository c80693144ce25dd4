import type { Access } from '../bot/access/access.ts'
import type { Queue } from '../bot/jobs/job-queue.ts'
import type { ConfiguredTokens } from '../bot/request/context.ts'
import type { CommandContext } from '../bot/routes/command-context.ts'
import type { RouteTable } from '../bot/routes/routes.ts'
import type { Connections } from '../bot/workspaces/connections.ts'
import type { IsForbidden } from '../domain/forbidden-addresses.ts'
import { accessCommands } from '../features/access/commands.ts'
import { alertCommands } from '../features/alerts/commands.ts'
import { auditCommands } from '../features/audit/commands.ts'
import { type CertOrderParts, certOrderCommands } from '../features/cert-orders/commands/orders.ts'
import { connectionCommands } from '../features/connection/commands.ts'
import { healthCheckCommands, homeSummary } from '../features/health-checks/commands.ts'
import { helpCommands } from '../features/help/commands.ts'
import { homeCommands } from '../features/home/commands.ts'
import { threatCommands } from '../features/threats/commands/show.ts'
import { aboutCheck, maintainedBy } from '../features/watching/about-check.ts'
import { watchingCommands } from '../features/watching/commands/watches.ts'
import type { HealthCheck } from '../service/health-checks.ts'
import type { Service, ServiceOptions } from '../service/service.ts'
import type { Store } from './store.ts'

export interface FeatureParts {
  connections: Connections
  service: Service
  configured: ConfiguredTokens
  hasOte: boolean
  baseUrls: ServiceOptions['baseUrls']
  /** Optional features that are left out on purpose. */
  leftOut: ReadonlySet<string>
  pageSize?: number
  store: Store
  /** Granted admins and the installer. */
  adminsOf: Access['adminsOf']
  queue: Queue
  /** What `/hc diagnose` does not connect to. */
  isForbidden: IsForbidden
  orders: CertOrderParts
  /** Says that there may be work to do. */
  wake: () => void
  /** Logs an error that concerns nobody who waits. */
  report: (error: unknown, words: string) => void
}

/** Everything that people can ask for. */
export function addShippedRoutes(routes: RouteTable, parts: FeatureParts): void {
  const { store, adminsOf, orders } = parts
  const { watching } = store
  const looks = {
    aboutCheck: (context: CommandContext, check: HealthCheck, about: { isShared: boolean }) =>
      aboutCheck(watching, context, check, about),
    seen: { ...watching.history, maintained: maintainedBy(watching) },
  }
  healthCheckCommands(routes, { ...parts, ...looks })
  alertCommands(routes)
  watchingCommands(routes, store)
  connectionCommands(routes, { ...parts, ...store })
  threatCommands(routes, parts)
  certOrderCommands(routes, orders)
  accessCommands(routes, { ...store, adminsOf })
  auditCommands(routes, store)
  homeCommands(routes, {
    ...parts,
    cached: store.cached,
    summary: (...asked) => homeSummary(looks, ...asked),
  })
  helpCommands(routes)
}
