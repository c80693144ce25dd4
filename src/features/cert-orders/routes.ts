import type { Message } from '../../blocks/message.ts'
import type { MayPost } from '../../slack/answers/sharing.ts'
import type { Ask } from '../../slack/ask.ts'
import type { Routes } from '../../slack/routes.ts'
import type { Settings } from '../../store/settings.ts'
import type { FindOffered } from './catalog.ts'
import { decisionRoutes } from './decision-routes.ts'
import { readHomeOrders } from './home-orders.ts'
import { listOrders } from './list-orders.ts'
import { type NameOf, namesIn } from './names-in.ts'
import type { Ledger, Order } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { editForm, type FormParts, orderForm, orderModal } from './order-forms.ts'
import { policyForm, policyModal } from './policy-form.ts'
import { numberOf, STATES } from './refusals.ts'
import { againModal, certificateModal, freshDraft } from './start-order.ts'
import { homeBlocks } from './views/home.ts'
import { STATUS_NAMES } from './views/list.ts'
import { shownView } from './views/messages.ts'

export interface CertOrderParts {
  book: OrderBook
  ledger: Ledger
  settings: Pick<Settings, 'get' | 'set'>
  mayPost: MayPost
  findOffered: FindOffered
  nameOf: NameOf
}

/** `/cert-order`: the order form, the orders there are, and what is decided about them. */
export function certOrderRoutes(routes: Routes, parts: CertOrderParts): void {
  const { book, ledger, settings, mayPost, findOffered, nameOf } = parts

  /** An order as this person sees it, in a message or a window; `lead` says what just happened. */
  async function show(ask: Ask, order: Order, lead?: string): Promise<Message> {
    const [policy, people, decides] = await Promise.all([
      book.policyOf(ask.workspaceId),
      namesIn(order, nameOf),
      ask.holds(ask.userId, 'approver'),
    ])
    const owns = order.requesterId === ask.userId
    return shownView(order, { policy, people }, { decides: decides && (policy.direct || !owns), owns }, lead)
  }
  const forms: FormParts = {
    book,
    findOffered,
    show: (ask, order) => show(ask, order, leadOf(ask, order)),
  }

  routes.verb({
    command: 'cert-order',
    verb: '',
    usage: '',
    does: 'Ask for a certificate: new, renewed or reissued',
    needs: 'viewer',
    writes: true,
    opens: true,
    async run(ask) {
      await book.admit(ask)
      // Without a token nothing can be ordered: said now, not when everything is filled in.
      await ask.api()
      return orderModal(forms, ask, freshDraft(ledger, ask))
    },
  })

  for (const action of ['renew', 'reissue'] as const) {
    routes.verb({
      command: 'cert-order',
      verb: action,
      usage: `${action} CERT_ID`,
      does: `Ask to ${action} a certificate, filled in from an earlier order of it`,
      needs: 'viewer',
      writes: true,
      opens: true,
      async run(ask, { words }) {
        await book.admit(ask)
        await ask.api()
        return certificateModal(forms, ledger, ask, action, words)
      },
    })
  }

  routes.verb({
    command: 'cert-order',
    verb: 'again',
    usage: 'again N',
    does: 'Ask once more for what an earlier order asked for',
    needs: 'viewer',
    writes: true,
    opens: true,
    async run(ask, { words }) {
      await book.admit(ask)
      return againModal(forms, ask, await book.need(ask.workspaceId, numberOf(words)))
    },
  })

  routes.verb({
    command: 'cert-order',
    verb: 'list',
    usage: 'list [--status S] [--mine] [--page N]',
    does: 'List the orders, newest first',
    example: 'list --status awaiting',
    needs: 'viewer',
    flags: { status: STATUS_NAMES, mine: 'switch', page: 'value' },
    run: (ask, args) => listOrders(ledger, ask, args),
  })

  routes.verb({
    command: 'cert-order',
    verb: 'show',
    usage: 'show N',
    does: 'Show an order in full: what it asks for, who decided what, what the service answered',
    needs: 'viewer',
    shares: 'guarded',
    run: async (ask, { words }) => show(ask, await book.need(ask.workspaceId, numberOf(words))),
  })

  routes.verb({
    command: 'cert-order',
    verb: 'policy',
    usage: 'policy',
    does: 'Say who may ask, how many must approve, when requests expire and where they are shown',
    needs: 'admin',
    opens: true,
    run: async (ask) => policyModal(await book.policyOf(ask.workspaceId)),
  })

  decisionRoutes(routes, { ...forms, nameOf })
  routes.form(orderForm(forms))
  routes.form(editForm(forms))
  routes.form(policyForm({ settings, mayPost }))
  routes.homeSection(async (ask) => homeBlocks(await readHomeOrders(parts, ask)))
}

/** What a step came to, for whoever took it. */
function leadOf(ask: Ask, { number, state, requesterId, content }: Order): string {
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
    default:
      return `Order ${number}: ${STATES[state].name.toLowerCase()}.`
  }
}
