import { isDecrypted, type Settings } from '@signalman/durable'
import { actions, commandButton, context } from '@signalman/slack'
import type { HomeSection } from '../../bot/routes/routes.ts'
import type { StoredOrders } from './rows/orders.ts'
import { mayDecide, ORDER_SETTINGS } from './rules/settings.ts'
import { orderRow } from './views/list.ts'

const MAX_SHOWN = 5
/** Larger than MAX_SHOWN, because a person's own orders are skipped. */
const MAX_SEARCHED = 50

/** The App Home sections with the orders that wait for a person's decision, and with their own. */
export const createHomeSections = ({
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
  {
    group: 'yours',
    async section({ workspaceId, userId: requesterId }) {
      const mine = await orders.listWithUndecryptable({ workspaceId, requesterId, limit: MAX_SHOWN })
      return mine.length === 0
        ? []
        : [
            context('Your recent orders'),
            ...mine.map((order) => orderRow(order)),
            ...actions(commandButton('My orders', '/cert-order list --mine')),
          ]
    },
  },
]
