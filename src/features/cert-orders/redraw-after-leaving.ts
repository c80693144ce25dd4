import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { SlackChangeHandlers } from '../../bot/feature.ts'
import type { FindRequester } from './judge-order.ts'
import type { StoredOrders } from './rows/orders.ts'
import { OPEN_ORDER_STATES } from './rules/order-states.ts'

/** More than anyone waits for. */
const MAX_ORDERS = 100

/** Redraws the open orders of a person who has left, so that approvers, and whoever asked them something, are told. */
export const redrawAfterLeaving = ({
  orders,
  findRequester,
  engine,
  log,
}: {
  orders: Pick<StoredOrders, 'list' | 'redraw'>
  findRequester: FindRequester
  engine: Pick<Engine, 'wake'>
  log: Log
}): SlackChangeHandlers => ({
  async onPersonChanged(workspaceId, requesterId) {
    try {
      const [order, ...others] = await orders.list({
        workspaceId,
        requesterId,
        states: OPEN_ORDER_STATES,
        limit: MAX_ORDERS,
      })
      if (!order || !(await findRequester(order, requesterId)).hasLeft) return
      await orders.redraw([order, ...others])
      engine.wake()
    } catch (err) {
      log.warn({ err }, 'Couldn’t check whether the requester of an order has left. Its next step does.')
    }
  },
})
