import { DAY_MS, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { findPerson } from '../../../bot/access/actor.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import type { HomeSection, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { readPeriod, toPastDates } from '../../../domain/dates/period.ts'
import { toZoned } from '../../../domain/dates/zoned.ts'
import { findProducts } from '../catalog.ts'
import type { CertOrderDeps } from '../create-cert-orders.ts'
import { policyForm } from '../forms/policy.ts'
import { ownOrderBlocks, readOwnOrders, readWaitingOrders, waitingOrderBlocks } from '../home-orders.ts'
import {
  clampPage,
  FROM_FIELDS,
  LIST_SLOTS,
  ORDER_FIELDS,
  ORDER_NUMBER,
  type OrderFilters,
  PAGE_SIZE,
  requireNumber,
} from '../parse.ts'
import { formatName } from '../rules/csr/names.ts'
import type { Order } from '../rules/order.ts'
import { ORDER_POLICY } from '../rules/policy.ts'
import { searchOrders } from '../search-orders.ts'
import { findOrderOrThrow } from '../transition-order.ts'
import { answerView } from '../views/answer.ts'
import { listView } from '../views/list.ts'
import { sharedView } from '../views/messages.ts'
import { requestView } from '../views/request.ts'
import { decisionCommands } from './decisions.ts'
import { startCommands } from './start.ts'

/** `/cert-order`: the order form, the lists of orders, and decisions about them. */
export const certOrderCommands = (deps: CertOrderDeps): VerbDeclaration[] => [
  ...startCommands(deps),
  listCommand(deps),
  ...showCommands(deps),
  ...decisionCommands(deps),
  policyCommand(deps),
]

/** The App Home sections with the orders that wait for a person, and with their own. */
export const createHomeSections = (deps: CertOrderDeps): HomeSection[] => [
  {
    group: 'for you',
    section: async (context) => waitingOrderBlocks(await readWaitingOrders(deps, context)),
  },
  { group: 'yours', section: async (context) => ownOrderBlocks(await readOwnOrders(deps, context)) },
]

const listCommand = (deps: CertOrderDeps): VerbDeclaration => ({
  line: '/cert-order list',
  slots: LIST_SLOTS,
  also: ['orders', 'certificates', 'ls', 'search', 'find'],
  description: 'List the orders, newest first',
  example: 'list --status awaiting',
  needs: 'viewer',
  flags: flagSpecs(ORDER_FIELDS),
  run: (context, args) => listOrders(deps, context, args),
})

/** The commands that show an order, its CSR, or the service's answer. */
function showCommands(deps: CertOrderDeps): VerbDeclaration[] {
  const { renderForUser } = deps
  /** Declares a verb that shows one part of an order. */
  const createShowVerb = (
    verb: string,
    description: string,
    view: (order: Order, context: CommandContext, flags: Arguments['flags']) => Message | Promise<Message>,
    declaration: Pick<VerbDeclaration, 'flags' | 'also' | 'elsewhere' | 'shares'> = {},
  ): VerbDeclaration => ({
    line: `/cert-order ${verb}`,
    slots: [ORDER_NUMBER],
    description,
    needs: 'viewer',
    ...declaration,
    run: async (context, typed) =>
      view(
        await findOrderOrThrow(deps, context.workspaceId, requireNumber(typed, verb)),
        context,
        typed.flags,
      ),
  })

  return [
    createShowVerb(
      'show',
      'Show an order in full, with its decisions and the service’s answer',
      (order, context, flags) => (flags.share === true ? sharedView(order) : renderForUser(context, order)),
      {
        also: ['status', 'view', 'open', 'details', 'get', 'describe', 'info', 'inspect', 'check', 'track'],
        elsewhere: { host: '/cert-order list' },
        shares: 'guarded',
      },
    ),
    createShowVerb(
      'csr',
      'Show the full contents of an order’s request (CSR)',
      (order, context, flags) => requestView(order, readFields(PAGE_FIELDS, flags).page ?? 1, context.now),
      {
        also: [
          ...['show', 'get', 'fetch', 'view', 'decode', 'download', 'print'].map((word) => `${word} csr`),
          ...['show', 'get', 'fetch', 'view', 'decode'].map((word) => `csr ${word}`),
        ],
        flags: flagSpecs(PAGE_FIELDS),
      },
    ),
    createShowVerb(
      'answer',
      'Show the service’s full answer to an order',
      (order, _, flags) => answerView(order, readFields(FROM_FIELDS, flags).from ?? 1),
      { also: ['response', 'error'], flags: flagSpecs(FROM_FIELDS) },
    ),
  ]
}

const policyCommand = ({ settings }: CertOrderDeps): VerbDeclaration => ({
  line: '/cert-order policy',
  also: ['rules'],
  description: 'Set who may request certificates, what may be ordered, and who approves it',
  needs: 'admin',
  opensModal: true,
  async run(context) {
    const { workspaceId, environment } = context
    const [policy, products] = await Promise.all([
      settings.get(workspaceId, ORDER_POLICY),
      findProducts(context),
    ])
    return policyForm.open(environment, policy, products)
  },
})

/** One page of the orders in an environment. */
async function listOrders(
  deps: Pick<CertOrderDeps, 'orders'>,
  context: Requester & Pick<CommandContext, 'slack' | 'actor'>,
  args: Arguments,
): Promise<Message> {
  const { environment } = context
  const { orders } = deps
  const { requester: requesterInput, ...fields } = readFields(ORDER_FIELDS, args.flags)
  if (requesterInput !== undefined && fields.mine)
    throw new UserError('Whose orders? Type either --mine or --requester.')
  // Only the words tell `approved by @ann` from `approved, requested by @ann`, which a button's flags mean.
  if (requesterInput !== undefined && DECIDED_BY.test(args.words.join(' ')))
    throw new UserError('Orders can be filtered by who requested them, but not by who decided.')
  const filters: OrderFilters = {
    environment,
    ...fields,
    ...(requesterInput !== undefined && {
      requester: await findPerson(await context.slack(), requesterInput),
    }),
  }
  const { mine, requester, days, period } = filters
  const query = {
    workspaceId: context.workspaceId,
    environment,
    ...(filters.status && { states: [filters.status] }),
    ...(mine && { requesterId: context.userId }),
    ...(requester !== undefined && { requesterId: requester }),
    ...(days !== undefined && { since: new Date(context.now.getTime() - days * DAY_MS) }),
    ...(period !== undefined && (await readRequested(context, period))),
  }
  const countAll = () => orders.count({ workspaceId: context.workspaceId, environment })
  if (filters.name !== undefined || filters.product !== undefined) {
    const { found, ...searchResult } = await searchOrders(orders, query, (order) =>
      matchesText(order, filters),
    )
    const start = computePageOffset(filters, found.length)
    const all = found.length === 0 ? await countAll() : undefined
    const page = { orders: found.slice(start, start + PAGE_SIZE), total: found.length, all, ...searchResult }
    return listView(page, filters, context.now)
  }
  const total = await orders.count(query)
  const found = await orders.listWithUndecryptable({
    ...query,
    limit: PAGE_SIZE,
    offset: computePageOffset(filters, total),
  })
  const all = total === 0 ? await countAll() : undefined
  return listView({ orders: found, total, all, undecryptableCount: 0 }, filters, context.now)
}

const DECIDED_BY = /\b(?:approved|rejected|denied|declined|refused) by\b/i

/** The typed period as times. Throws UserError. */
async function readRequested(
  context: Pick<CommandContext, 'actor' | 'now'>,
  period: string,
): Promise<{ since: Date; until: Date }> {
  const { timeZone = 'UTC' } = await context.actor()
  const now = toZoned(context.now, timeZone)
  const read = readPeriod(period, now)
  if (!read) throw new UserError(`“${period}” isn’t a period. Type yesterday, last week, or since Monday.`)
  const { from, to } = toPastDates(read, now, period)
  return { since: from, until: to }
}

const computePageOffset = (filters: OrderFilters, total: number): number =>
  (clampPage(filters, total) - 1) * PAGE_SIZE

function matchesText({ content }: Order, { name, product }: OrderFilters): boolean {
  const { csr, request, names } = content
  const matchesName =
    name === undefined ||
    [csr.subject, ...csr.names.map(formatName)].some((text) =>
      text.toLowerCase().includes(name.toLowerCase()),
    )
  const products = [request.productId, names.product].map((text) => text?.toLowerCase() ?? '')
  return (
    matchesName && (product === undefined || products.some((text) => text.includes(product.toLowerCase())))
  )
}
