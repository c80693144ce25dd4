import type { Message } from '@signalman/slack'
import type { Requester, Rights } from '../../../bot/routes/command-context.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import { flagsOf } from '../../../bot/typed/fields.ts'
import { listOrders } from '../list-orders.ts'
import type { Order, OrderRepository } from '../order.ts'
import type { OrderService } from '../order-service.ts'
import { lineOf, numberOf } from '../parse.ts'
import { answerView } from '../views/answer.ts'
import { ORDER_FIELDS } from '../views/list-line.ts'
import { requestView } from '../views/request.ts'

interface LookParts {
  service: Pick<OrderService, 'orderOrThrow'>
  orders: OrderRepository
  show: (context: Requester & Rights, order: Order) => Promise<Message>
}

/** What only shows orders: the list, one in full, its request, and the service's answer. */
export function lookCommands(routes: Routes, { service, orders, show }: LookParts): void {
  routes.verb({
    command: 'cert-order',
    verb: 'list',
    usage: 'list [--status S] [--mine] [--requester @WHO] [--product P] [--name N] [--days D] [--page N]',
    does: 'List the orders, newest first',
    example: 'list --status awaiting',
    needs: 'viewer',
    flags: { ...flagsOf(ORDER_FIELDS), page: 'value' },
    run: (context, args) => listOrders(orders, context, args),
  })

  routes.verb({
    command: 'cert-order',
    verb: 'show',
    usage: 'show N',
    does: 'Show an order in full: what it asks for, who decided what, what the service answered',
    needs: 'viewer',
    shares: 'guarded',
    run: async (context, { words }) =>
      show(context, await service.orderOrThrow(context.workspaceId, numberOf(words, 'show'))),
  })

  routes.verb({
    command: 'cert-order',
    verb: 'csr',
    usage: 'csr N [--from LINE]',
    does: 'All that the request (CSR) of an order asks for: every extension and every name, with what deserves a look',
    needs: 'viewer',
    shares: 'guarded',
    flags: { from: 'value' },
    run: async (context, { words, flags }) =>
      requestView(
        await service.orderOrThrow(context.workspaceId, numberOf(words, 'csr')),
        lineOf(flags.from),
      ),
  })

  routes.verb({
    command: 'cert-order',
    verb: 'answer',
    usage: 'answer N [--from LINE]',
    does: 'All that the service answered to an order, as it came, with the records that prove the names',
    needs: 'viewer',
    shares: 'guarded',
    flags: { from: 'value' },
    run: async (context, { words, flags }) =>
      answerView(
        await service.orderOrThrow(context.workspaceId, numberOf(words, 'answer')),
        lineOf(flags.from),
      ),
  })
}
