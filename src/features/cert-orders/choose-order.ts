import { isDecrypted } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { card, commandButton, type Message, context as smallPrint } from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import { canSeePersonalData } from '../../bot/access/access.ts'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Modal, VerbDeclaration } from '../../bot/routes/routes.ts'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { formatCount } from '../../domain/wording.ts'
import type { CertOrderDeps } from './create-cert-orders.ts'
import { findOrderOrThrow } from './order-service.ts'
import { formatListCommand } from './parse.ts'
import type { OrderQuery } from './rows/queries.ts'
import { listCertificateNames } from './rules/host-names.ts'
import { transition } from './rules/lifecycle.ts'
import type { ListedOrder, Order } from './rules/order.ts'
import { OPEN_ORDER_STATES, type OrderState, STATE_TEXTS } from './rules/order-states.ts'
import { createNothingToChooseError } from './rules/refusals.ts'
import { ORDER_SETTINGS } from './rules/settings.ts'
import { type ListReader, orderRow, ROW_BUTTONS, type RowVerb } from './views/list.ts'

/** What a verb can be about, if no number was typed: orders in these states, of the person or for their decision. */
interface Choice {
  readonly states: readonly OrderState[]
  readonly isDecision?: true
  readonly none: string
}

const NOT_WAITING = 'No order is waiting for your decision'

const CHOICES = {
  show: { states: OPEN_ORDER_STATES, none: 'None of your orders is open' },
  again: {
    states: ['received', 'failed', 'rejected', 'withdrawn', 'expired'],
    none: 'None of your orders has ended',
  },
  withdraw: { states: ['awaiting'], none: 'None of your orders is waiting for approval' },
  approve: { states: ['awaiting'], isDecision: true, none: NOT_WAITING },
  reject: { states: ['awaiting'], isDecision: true, none: NOT_WAITING },
} as const satisfies Record<RowVerb, Choice>

export const MAX_SHOWN = 5

interface FewOrders {
  readonly few: readonly ListedOrder[]
  readonly total: number
}

async function listFew(
  orders: CertOrderDeps['orders'],
  query: Omit<OrderQuery, 'limit'>,
): Promise<FewOrders> {
  const [few, total] = await Promise.all([orders.list({ ...query, limit: MAX_SHOWN }), orders.count(query)])
  return { few, total }
}

/** The orders in these states that a person may decide on. The oldest, which expire first, come first. */
export async function listForDecision(
  { orders, settings }: Pick<CertOrderDeps, 'orders' | 'settings'>,
  { workspaceId, environment, userId }: Pick<CommandContext, 'workspaceId' | 'environment' | 'userId'>,
  states: readonly OrderState[],
): Promise<FewOrders> {
  const { allowsOwn } = await settings.get(workspaceId, ORDER_SETTINGS)
  // As `mayDecide` does, but before the limit.
  const others = allowsOwn ? undefined : userId
  return listFew(orders, { workspaceId, environment, states, notRequesterId: others, oldestFirst: true })
}

export const moreOrders = (more: number): KnownBlock[] =>
  more > 0 ? [smallPrint(`and ${formatCount(more)} more`)] : []

export const pendingButton = (environment: Environment): Button =>
  commandButton(
    `All waiting orders${environmentSuffix(environment)}`,
    formatListCommand({ environment, status: 'awaiting', page: 1 }),
  )

/** Returns whether a person can approve an order now, unless another order has its key or certificate. */
export async function createCanApprove(
  { orders, settings }: Pick<CertOrderDeps, 'orders' | 'settings'>,
  { workspaceId, userId: by, hasRole }: Pick<CommandContext, 'workspaceId' | 'userId' | 'hasRole'>,
): Promise<(order: ListedOrder) => boolean> {
  const [isApprover, { domains, allowsOwn }, now] = await Promise.all([
    hasRole(by, 'approver'),
    settings.get(workspaceId, ORDER_SETTINGS),
    orders.readTime(),
  ])
  return (order) =>
    isApprover &&
    isDecrypted(order) &&
    'next' in transition(order, { kind: 'approve', by, hash: order.bodyHash, domains, allowsOwn }, now)
}

/**
 * Lets a verb act on the order that a line is about: the one with the typed number, or else the only one that the verb can be about.
 * With several, or with a reason that was typed without a number, answers with a message to choose from. Throws UserError if there is none.
 */
export function createChoose(deps: CertOrderDeps) {
  const { orders } = deps

  async function list(context: CommandContext, verb: RowVerb): Promise<FewOrders> {
    const { states, isDecision }: Choice = CHOICES[verb]
    if (isDecision) return listForDecision(deps, context, states)
    const { workspaceId, environment, userId: requesterId } = context
    const mine = { workspaceId, environment, requesterId }
    return listFew(orders, { ...mine, states })
  }

  async function chooseOrder(
    context: CommandContext,
    { values: { number, reason = '' }, flags }: Arguments,
    verb: RowVerb,
  ): Promise<Order | Message> {
    if (number !== undefined) return findOrderOrThrow(deps, context, Number(number))
    const { few, total } = await list(context, verb)
    const [first, another] = few
    if (!first) throw createNothingToChooseError(CHOICES[verb].none, context.environment)
    // A reason may begin with the name of another order. Withdrawing is asked about.
    const isOnly = !another && reason === '' && verb !== 'withdraw'
    if (isOnly) return findOrderOrThrow(deps, context, first.number)
    if (flags.share === true) throw new UserError('Only one order can be shared. Type its number.')
    return card({
      headline: another
        ? 'Which order? Choose one, or type its number.'
        : `${ROW_BUTTONS[verb]} order ${first.number}?`,
      body: [
        ...few.map((order) => orderRow(order, toReader(context), verb, reason)),
        ...moreOrders(total - few.length),
      ],
      controls: [
        'isDecision' in CHOICES[verb]
          ? pendingButton(context.environment)
          : commandButton('All orders', '/cert-order list'),
      ],
    })
  }

  return (
    verb: RowVerb,
    act: (order: Order, context: CommandContext, typed: Arguments) => Promise<Message | Modal>,
  ): Pick<VerbDeclaration, 'run'> => ({
    async run(context, typed) {
      const order = await chooseOrder(context, typed, verb)
      return 'text' in order ? order : act(order, context, typed)
    },
  })
}

/** Guests don't see who requested an order, or who decided on it. */
export const toReader = ({ userId, actor }: Pick<CommandContext, 'userId' | 'actor'>): ListReader => ({
  userId,
  seesPeople: canSeePersonalData(actor),
})

const MAX_WORDS = 10

/**
 * Returns whether each word of a text is in a name, the product, the status, or the UTC date of an order, in any case. Throws UserError
 * for more words than anybody searches for.
 */
export function createHasText(text: string): (order: Order) => boolean {
  const words = [...new Set(text.toLowerCase().split(' '))]
  if (words.length > MAX_WORDS) throw new UserError(`Search for at most ${MAX_WORDS} different words.`)
  return ({ content: { csr, request, names }, state, createdAt }) => {
    const shown = listCertificateNames(csr).map((name) => name.text)
    const found = [
      // A row shows the subject of a request without names.
      ...(shown.length > 0 ? shown : [csr.subject]),
      names.product,
      request.productId,
      STATE_TEXTS[state].name,
      createdAt.toISOString().slice(0, 10),
    ]
      .join('\n')
      .toLowerCase()
    return words.every((word) => found.includes(word))
  }
}
