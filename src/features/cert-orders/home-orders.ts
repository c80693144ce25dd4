import { actions, context as smallPrint } from '@signalman/slack'
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

/** The App Home section with the orders that wait for a person's decision. */
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
]
