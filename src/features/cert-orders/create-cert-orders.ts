import type { Engine, Settings, WorkKind } from '@signalman/durable'
import type { Message } from '@signalman/slack'
import { canSeePersonalData } from '../../bot/access/access.ts'
import type { Requester, Rights } from '../../bot/routes/command-context.ts'
import type { Stored } from '../../bot/stored.ts'
import { createOrderNotifier, type NotifierDeps } from './order-notifier.ts'
import { createOrderService, type OrderService } from './order-service.ts'
import { createOrderTimerWork } from './order-timer.ts'
import { type DetailDeps, readOrderDetails } from './read-details.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import { mayDecide, ORDER_SETTINGS } from './rules/settings.ts'
import { createSubmitWork, type SubmitDeps } from './submit-order.ts'
import { guestView, orderView, outcomeView } from './views/messages.ts'

export interface CertOrderDeps extends DetailDeps {
  orders: StoredOrders
  service: OrderService
  settings: Settings
  /** Renders the order for one person, with their buttons. Guests see what a channel would. */
  renderForUser(reader: Requester & Rights, order: Order): Promise<Message>
  /** The same in a few sentences, after a decision. */
  renderOutcome(reader: Requester & Rights, order: Order): Promise<Message>
}

interface Dependencies
  extends Pick<NotifierDeps, 'posting' | 'reachability' | 'people'>,
    Pick<SubmitDeps, 'getApi' | 'maxInFlightMs' | 'now' | 'stopwatch' | 'pause'> {
  store: Pick<Stored, 'settings' | 'steps' | 'lateOutcomes'> & {
    orders: StoredOrders
  }
  /** The engine that runs `workKinds`. */
  engine: Pick<Engine, 'wake'>
}

export function createCertOrders(dependencies: Dependencies): {
  deps: CertOrderDeps
  workKinds: WorkKind[]
} {
  const { store, posting, reachability, engine, people, ...submitting } = dependencies
  const { orders, settings } = store
  const details = { orders, settings, people }
  const deps: CertOrderDeps = {
    ...details,
    settings,
    service: createOrderService({ orders, settings, engine }),
    renderForUser: (reader, order) => render(reader, order, orderView),
    renderOutcome: (reader, order) => render(reader, order, outcomeView),
  }

  async function render(reader: Requester & Rights, order: Order, view: typeof orderView): Promise<Message> {
    if (!canSeePersonalData(reader.actor)) return guestView(order)
    return view(order, await readOrderDetails(details, order), {
      isRequester: order.requesterId === reader.userId,
      canApprove:
        mayDecide(order, reader.userId, await settings.get(order.workspaceId, ORDER_SETTINGS)) &&
        (await reader.hasRole(reader.userId, 'approver')),
    })
  }

  return {
    deps,
    workKinds: [
      createSubmitWork({ ...store, ...submitting }),
      createOrderNotifier({ ...details, posting, reachability }),
      createOrderTimerWork(orders),
    ],
  }
}
