import { actions, commandButton, context as smallPrint } from '@signalman/slack'
import type { HomeSection } from '../../bot/routes/routes.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { createCanApprove, listForDecision, toReader } from './choose-order.ts'
import type { CertOrderDeps } from './create-cert-orders.ts'
import { orderRow } from './views/list.ts'

const MAX_SHOWN = 5

/** The App Home section with the orders that wait for a person's decision. */
export const createHomeSection = (deps: CertOrderDeps): HomeSection[] => [
  {
    group: 'for you',
    async section(context) {
      if (!(await context.hasRole(context.userId, 'approver'))) return []
      const listOpen = (environment: Environment) =>
        listForDecision(deps, { ...context, environment }, ['awaiting', 'unknown'])
      const open = (await Promise.all(ENVIRONMENTS.map(listOpen))).flat()
      if (open.length === 0) return []
      const canApprove = await createCanApprove(deps, context)
      return [
        smallPrint('Orders waiting for your decision'),
        ...open
          .slice(0, MAX_SHOWN)
          .map((order) => orderRow(order, toReader(context), canApprove(order) ? 'approve' : 'show')),
        ...actions(commandButton('All orders', '/cert-order list')),
      ]
    },
  },
]
