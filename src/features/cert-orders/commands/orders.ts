import type { Message } from '../../../blocks/message.ts'
import type { MayPost } from '../../../bot/replies/sharing.ts'
import type { Requester, Rights } from '../../../bot/routes/command-context.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import type { Settings } from '../../../store/workspaces/settings.ts'
import type { FindOffered } from '../catalog.ts'
import { editForm, type FormParts, orderForm } from '../forms/order.ts'
import { policyForm, policyModal } from '../forms/policy.ts'
import { readHomeOrders } from '../home-orders.ts'
import { listOrders } from '../list-orders.ts'
import { type NameOf, namesIn } from '../names-in.ts'
import type { Order, OrderRepository } from '../order.ts'
import type { OrderService } from '../order-service.ts'
import { lineOf, numberOf } from '../parse.ts'
import { placedTwice } from '../placed-twice.ts'
import { STATES } from '../refusals.ts'
import { homeBlocks } from '../views/home.ts'
import { STATUS_NAMES } from '../views/list.ts'
import { shownView } from '../views/messages.ts'
import { requestView } from '../views/request.ts'
import { decisionCommands } from './decisions.ts'
import { startCommands } from './start.ts'

export interface CertOrderParts {
  service: OrderService
  orders: OrderRepository
  settings: Pick<Settings, 'get' | 'set'>
  mayPost: MayPost
  findOffered: FindOffered
  nameOf: NameOf
}

/** `/cert-order`: the order form, the orders there are, and what is decided about them. */
export function certOrderCommands(routes: Routes, parts: CertOrderParts): void {
  const { service, orders, settings, mayPost, findOffered, nameOf } = parts

  /** An order as this person sees it, in a message or a window; `lead` says what just happened. */
  async function show(ask: Requester & Rights, order: Order, lead?: string): Promise<Message> {
    const [policy, people, decides, twins] = await Promise.all([
      service.policyOf(ask.workspaceId),
      namesIn(order, nameOf),
      ask.holds(ask.userId, 'approver'),
      placedTwice(orders, order),
    ])
    const owns = order.requesterId === ask.userId
    return shownView(
      order,
      { policy, people, twins },
      { decides: decides && (policy.direct || !owns), owns },
      lead,
    )
  }
  const forms: FormParts = {
    service,
    findOffered,
    show: (ask, order) => show(ask, order, leadOf(ask, order)),
  }

  startCommands(routes, { ...forms, orders })

  routes.verb({
    command: 'cert-order',
    verb: 'list',
    usage: 'list [--status S] [--mine] [--page N]',
    does: 'List the orders, newest first',
    example: 'list --status awaiting',
    needs: 'viewer',
    flags: { status: STATUS_NAMES, mine: 'switch', page: 'value' },
    run: (ask, args) => listOrders(orders, ask, args),
  })

  routes.verb({
    command: 'cert-order',
    verb: 'show',
    usage: 'show N',
    does: 'Show an order in full: what it asks for, who decided what, what the service answered',
    needs: 'viewer',
    shares: 'guarded',
    run: async (ask, { words }) => show(ask, await service.need(ask.workspaceId, numberOf(words))),
  })

  routes.verb({
    command: 'cert-order',
    verb: 'csr',
    usage: 'csr N [--from LINE]',
    does: 'All that the request (CSR) of an order asks for: every extension and every name, with what deserves a look',
    needs: 'viewer',
    shares: 'guarded',
    flags: { from: 'value' },
    run: async (ask, { words, flags }) =>
      requestView(await service.need(ask.workspaceId, numberOf(words)), lineOf(flags.from)),
  })

  routes.verb({
    command: 'cert-order',
    verb: 'policy',
    usage: 'policy',
    does: 'Say who may ask, how many must approve, when requests expire and where they are shown',
    needs: 'admin',
    opens: true,
    run: async (ask) => policyModal(await service.policyOf(ask.workspaceId)),
  })

  decisionCommands(routes, { ...forms, nameOf })
  routes.form(orderForm(forms))
  routes.form(editForm(forms))
  routes.form(policyForm({ settings, mayPost }))
  routes.homeSection(async (ask) => homeBlocks(await readHomeOrders(parts, ask)))
}

/** Says what a step came to, for the person who took it. */
function leadOf(ask: Requester, { number, state, requesterId, content }: Order): string {
  const isOwn = requesterId === ask.userId
  switch (state) {
    case 'awaiting':
      return content.approvals.length > 0
        ? `Approved by you. Order ${number} waits for somebody else to approve it too.`
        : `Order ${number} waits for approval. You hear of every step in your direct messages.`
    case 'placed':
      return isOwn ? 'Order placed.' : `Order placed. Whoever asked for order ${number} is told.`
    case 'unknown':
      return 'Nobody can tell what became of the order.'
    case 'submitting':
      return `Order ${number} is being placed, and the service has not answered yet. What becomes of it is told in direct messages.`
    default:
      return `Order ${number}: ${STATES[state].name.toLowerCase()}.`
  }
}
