import type { Settings } from '@signalman/durable'
import type { Message } from '@signalman/slack'
import type { MayPost } from '../../../bot/posts/may-post.ts'
import type { Requester, Rights } from '../../../bot/routes/command-context.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import type { IsListedKey } from '../../../domain/listed-keys.ts'
import type { FindOffered } from '../catalog.ts'
import { compare } from '../compare.ts'
import { editForm, type FormParts, orderForm } from '../forms/order.ts'
import { policyForm, policyModal } from '../forms/policy.ts'
import { readHomeOrders } from '../home-orders.ts'
import { type NameOf, namesIn } from '../names-in.ts'
import type { Order, OrderRepository } from '../order.ts'
import type { OrderService } from '../order-service.ts'
import { placedTwice } from '../placed-twice.ts'
import { STATES } from '../refusals.ts'
import { policyFor, ruledOf } from '../rules/rules.ts'
import { homeBlocks } from '../views/home.ts'
import { shownView } from '../views/messages.ts'
import { decisionCommands } from './decisions.ts'
import { lookCommands } from './look.ts'
import { ruleCommands } from './rules.ts'
import { startCommands } from './start.ts'

export interface CertOrderParts {
  service: OrderService
  orders: OrderRepository
  settings: Settings
  mayPost: MayPost
  findOffered: FindOffered
  isListedKey: IsListedKey
  nameOf: NameOf
}

/** `/cert-order`: the order form, the orders there are, and what is decided about them. */
export function certOrderCommands(routes: Routes, parts: CertOrderParts): void {
  const { service, orders, settings, mayPost, findOffered, isListedKey, nameOf } = parts

  /** An order as this person sees it, in a message or a window; `lead` says what just happened. */
  async function show(context: Requester & Rights, order: Order, lead?: string): Promise<Message> {
    const [policy, people, decides, twins, comparison] = await Promise.all([
      service.policyOf(context.workspaceId),
      namesIn(order, nameOf),
      context.hasRole(context.userId, 'approver'),
      placedTwice(orders, order),
      compare(orders, order),
    ])
    const owns = order.requesterId === context.userId
    return shownView(
      order,
      { policy: policyFor(policy, ruledOf(order)), people, twins, comparison },
      { decides: decides && (policy.direct || !owns), owns },
      lead,
    )
  }
  const forms: FormParts = {
    service,
    findOffered,
    isListedKey,
    show: (context, order) => show(context, order, leadOf(context, order)),
  }

  startCommands(routes, { ...forms, orders })

  lookCommands(routes, { service, orders, show })

  routes.verb({
    command: 'cert-order',
    verb: 'policy',
    usage: 'policy',
    does: 'Say who may ask, how many must approve, when requests expire and where they are shown',
    needs: 'admin',
    opens: true,
    run: async (context) => policyModal(await service.policyOf(context.workspaceId)),
  })

  decisionCommands(routes, { ...forms, nameOf, orders })
  routes.form(orderForm(forms))
  routes.form(editForm(forms))
  routes.form(policyForm({ settings, mayPost, orders }))
  ruleCommands(routes, { settings, orders })
  routes.homeSection(async (context) => homeBlocks(await readHomeOrders(parts, context)))
}

/** Says what a step came to, for the person who took it. */
function leadOf(context: Requester, { number, state, requesterId, content }: Order): string {
  const isOwn = requesterId === context.userId
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
