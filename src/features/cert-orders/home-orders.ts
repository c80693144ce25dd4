import { DAY_MS } from '@signalman/runtime'
import { actions, commandButton, context as smallPrint } from '@signalman/slack'
import type { HomeSection } from '../../bot/routes/routes.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import {
  createCanApprove,
  listForDecision,
  MAX_SHOWN,
  moreOrders,
  pendingButton,
  toReader,
} from './choose-order.ts'
import type { CertOrderDeps } from './create-cert-orders.ts'
import { orderRow } from './views/list.ts'

/** How long Home shows how an order ended. */
const SHOWN_FOR_MS = 7 * DAY_MS

/** The App Home sections with the orders that wait for a person's decision, and those of their own that ended without one. */
export const createHomeSection = (deps: CertOrderDeps): HomeSection[] => [
  {
    group: 'for you',
    async section(context) {
      if (!(await context.hasRole(context.userId, 'approver'))) return []
      const listOpen = (environment: Environment) =>
        listForDecision(deps, { ...context, environment }, ['awaiting', 'unknown'])
      const lists = await Promise.all(ENVIRONMENTS.map(listOpen))
      const total = lists.reduce((sum, list) => sum + list.total, 0)
      if (total === 0) return []
      const open = lists
        .flatMap(({ few }) => few)
        .toSorted((left, right) => left.createdAt.getTime() - right.createdAt.getTime())
        .slice(0, MAX_SHOWN)
      const canApprove = await createCanApprove(deps, context)
      return [
        smallPrint('Orders waiting for your decision, oldest first'),
        ...open.map((order) => orderRow(order, toReader(context), canApprove(order) ? 'approve' : 'show')),
        ...moreOrders(total - open.length),
        ...actions(...ENVIRONMENTS.filter((_, index) => (lists[index]?.total ?? 0) > 0).map(pendingButton)),
      ]
    },
  },
  {
    group: 'for you',
    async section(context) {
      const { workspaceId, userId: requesterId, now } = context
      const listEnded = (environment: Environment) =>
        deps.orders.list({
          ...{ workspaceId, environment, requesterId, limit: MAX_SHOWN + 1 },
          states: ['rejected', 'failed', 'expired'],
        })
      const ended = (await Promise.all(ENVIRONMENTS.map(listEnded)))
        .flat()
        .filter(({ updatedAt }) => now.getTime() - updatedAt.getTime() < SHOWN_FOR_MS)
      if (ended.length === 0) return []
      return [
        smallPrint('Your orders that were rejected, failed, or expired'),
        ...ended.slice(0, MAX_SHOWN).map((order) => orderRow(order, toReader(context), 'show')),
        ...(ended.length > MAX_SHOWN
          ? actions(commandButton('All of your orders', '/cert-order list mine'))
          : []),
      ]
    },
  },
]
