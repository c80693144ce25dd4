import { isDecrypted, type Settings } from '@signalman/durable'
import { actions, commandButton, context } from '@signalman/slack'
import type { HomeSection } from '../../bot/routes/routes.ts'
import type { StoredOrders } from './rows/orders.ts'
import { mayDecide, ORDER_SETTINGS } from './rules/settings.ts'
import { orderRow } from './views/list.ts'

const MAX_SHOWN = 5
/** Larger than MAX_SHOWN, because a person's own orders are skipped. */
const MAX_SEARCHED = 50

/** The App Home section with the orders that wait for a person's decision. */
export const createHomeSection = ({
  orders,
  settings,
}: {
  orders: StoredOrders
  settings: Settings
}): HomeSection[] => [
  {
    group: 'for you',
    async section({ workspaceId, userId, hasRole }) {
      if (!(await hasRole(userId, 'approver'))) return []
      const where = { workspaceId, states: ['awaiting', 'unknown'] as const, limit: MAX_SEARCHED }
      const orderSettings = await settings.get(workspaceId, ORDER_SETTINGS)
      const open = (await orders.listWithUndecryptable(where)).filter((order) =>
        mayDecide(order, userId, orderSettings),
      )
      if (open.length === 0) return []
      return [
        context('Orders that wait for your decision'),
        ...open
          .slice(0, MAX_SHOWN)
          .map((order) =>
            order.state === 'awaiting' && isDecrypted(order)
              ? orderRow(order, 'Review and approve', 'approve')
              : orderRow(order),
          ),
        ...actions(commandButton('All orders', '/cert-order list')),
      ]
    },
  },
]
