import type { Message } from '@signalman/slack'
import { choice, parameter } from '../../bot/grammar/parameters.ts'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import { MINE_WORDS } from '../../bot/grammar/vocabulary.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../bot/routes/routes.ts'
import { flagSpecs, readFields } from '../../bot/typed/fields.ts'
import { findPage, slicePage } from '../../bot/views/list-page.ts'
import { parseAddress } from '../../domain/typed-text/typed-address.ts'
import { createCanApprove, createChoose, createHasText, toReader } from './choose-order.ts'
import type { CertOrderDeps } from './create-cert-orders.ts'
import { openApproval } from './forms/approve.ts'
import { FINDINGS, rejectForm, resolveForm } from './forms/decisions.ts'
import { createDraft, getCsrDraft, HINT, openOrderForm, toDraft } from './forms/order.ts'
import { settingsForm } from './forms/settings.ts'
import { applyStep, findOrderOrThrow } from './order-service.ts'
import {
  createNothingFoundError,
  LIST_PARAMETERS,
  ORDER_FIELDS,
  ORDER_NUMBER,
  PAGE_SIZE,
  REJECT_PARAMETERS,
  THIS_ORDER,
} from './parse.ts'
import type { OrderDecision } from './rules/lifecycle.ts'
import type { Order } from './rules/order.ts'
import type { Action } from './rules/request-fields.ts'
import { ORDER_SETTINGS } from './rules/settings.ts'
import { sendOrderFile } from './send-order-file.ts'
import { listView } from './views/list.ts'
import { sharedView } from './views/messages.ts'

/** `/cert-order`: the order form, the list of orders, and decisions about them. */
export const certOrderCommands = (deps: CertOrderDeps): VerbDeclaration[] => [
  ...startCommands(deps),
  ...showCommands(deps),
  ...decisionCommands(deps),
  {
    line: '/cert-order settings',
    description:
      'Set the approvals channel, the allowed domains, and whether approvers may send their own orders',
    needs: 'admin',
    opensModal: true,
    run: async ({ workspaceId, environment }) =>
      settingsForm.open(environment, await deps.settings.get(workspaceId, ORDER_SETTINGS)),
  },
]

/** The commands that open the order form: for a new certificate, for an existing one, or filled in from an earlier order. */
function startCommands(deps: CertOrderDeps): VerbDeclaration[] {
  const choose = createChoose(deps)
  const opensForm = { needs: 'viewer', opensModal: true } as const
  const createCertificateVerb = (action: Exclude<Action, 'create'>): VerbDeclaration => ({
    ...opensForm,
    line: `/cert-order ${action}`,
    parameters: [NAMES, parameter('certificate', 'text', { usage: 'CERT_ID', group: 'about' })],
    description: `Request to ${action} a certificate`,
    async run(context, { values: { certificate }, lists: { host: hosts = [] } }) {
      const draft = { ...createDraft(context.now), action, certificate }
      const hint = 'For better security, create a new key and a new request.'
      return openOrderForm(deps, context, draft, hint, hosts.map(normalizeHost))
    },
  })
  return [
    {
      ...opensForm,
      line: '/cert-order',
      parameters: [NAMES, parameter('number', 'number', { usage: '', group: 'about' })],
      description: 'Order a certificate, also a wildcard, from a signing request (CSR)',
      redirect: ({ values: { number } }) => (number === undefined ? undefined : 'show'),
      async run(context, { lists: { host: hosts = [] } }) {
        return openOrderForm(deps, context, createDraft(context.now), HINT, hosts.map(normalizeHost))
      },
    },
    createCertificateVerb('renew'),
    createCertificateVerb('reissue'),
    {
      ...opensForm,
      line: '/cert-order again',
      parameters: [ORDER_NUMBER],
      description: 'Request an earlier order again',
      ...choose('again', async (order, context) => {
        // Fails before anyone fills in the form. People who want to order with another key start with an empty form.
        await deps.orders.refuseWhileOpen(order)
        const csr = getCsrDraft(order)
        const { account } = await context.api(order.environment)
        const isOwn = order.content.account === account
        const { duration } = order.content.request
        // Another account has other products, organizations, contacts, and certificates.
        const draft = isOwn ? toDraft(order) : { ...createDraft(context.now), duration }
        const hint = [
          isOwn
            ? 'Filled in from the earlier order.'
            : 'The earlier order was for another account of the service, so only its request (CSR) and duration are filled in.',
          ...(csr === undefined ? ['Its request (CSR) is too long for the field: upload it again.'] : []),
        ].join(' ')
        return openOrderForm(deps, context, { ...draft, csr, hasMore: csr === undefined }, hint)
      }),
    },
  ]
}

const NAMES = parameter('host', 'host', { usage: 'NAME', many: true, group: 'about' })

/** `*.shop.example.com`, `shop.example.com` for any spelling of it, such as a URL. */
function normalizeHost(typed: string): string {
  const [wildcard = ''] = /^\*\./.exec(typed) ?? []
  const read = parseAddress(typed.slice(wildcard.length))
  return read.kind === 'text' ? typed : wildcard + read.host
}

function showCommands(deps: CertOrderDeps): VerbDeclaration[] {
  return [
    {
      line: '/cert-order list',
      parameters: LIST_PARAMETERS,
      description: 'List the orders, newest first',
      example: 'list waiting',
      needs: 'viewer',
      guests: true,
      flags: flagSpecs(ORDER_FIELDS),
      run: (context, args) => listOrders(deps, context, args),
    },
    {
      line: '/cert-order show',
      // The list finds orders by a text.
      parameters: [ORDER_NUMBER, parameter('text', 'text', { usage: '' })],
      description: 'Show an order, with its decisions',
      shares: true,
      needs: 'viewer',
      guests: true,
      redirect: ({ values: { text } }) => (text === undefined ? undefined : 'list'),
      ...createChoose(deps)('show', async (order, context, { flags }) =>
        flags.share === true ? sharedView(order) : deps.renderForUser(context, order),
      ),
    },
    {
      line: '/cert-order file',
      hidden: true,
      label: 'get the file of',
      parameters: [THIS_ORDER],
      description:
        'Send yourself everything that an order requests, and the service’s answer, as a text file',
      needs: 'viewer',
      isAct: true,
      run: async (context, { values: { number } }) =>
        sendOrderFile(context, await findOrderOrThrow(deps, context, Number(number))),
    },
  ]
}

const MAX_SEARCHED = 1000

/** One page of the orders in an environment. A text is searched in the newest ones, because it's encrypted. */
async function listOrders(
  deps: CertOrderDeps,
  context: CommandContext,
  { flags }: Pick<Arguments, 'flags'>,
): Promise<Message> {
  const { orders } = deps
  const { workspaceId, environment, userId, now } = context
  const canApprove = await createCanApprove(deps, context)
  const reader = toReader(context)
  const filters = { environment, ...readFields(ORDER_FIELDS, flags) }
  const { status, mine, text, page = 1 } = filters
  const query = {
    workspaceId,
    environment,
    ...(status && { states: [status] }),
    ...(mine && { requesterId: userId }),
  }
  if (text === undefined) {
    const { start, ...position } = findPage(await orders.count(query), page, PAGE_SIZE)
    const shown = await orders.list({ ...query, limit: PAGE_SIZE, offset: start })
    const ofAll = position.total || (await orders.count({ workspaceId, environment }))
    return listView(shown, position, filters, { reader, canApprove, now, ofAll })
  }
  const hasText = createHasText(text)
  const numbers: number[] = []
  const total = await orders.count(query)
  let unread = Math.min(total, MAX_SEARCHED)
  for await (const order of orders.scan({ ...query, limit: unread })) {
    unread -= 1
    if (hasText(order)) numbers.push(order.number)
  }
  const searched = { newest: total > MAX_SEARCHED ? MAX_SEARCHED : undefined, unread }
  if (numbers.length === 0) throw createNothingFoundError(text, filters, searched)
  const { items, ...position } = slicePage(numbers, page, PAGE_SIZE)
  const shown = await orders.list({ workspaceId, environment, numbers: items, limit: PAGE_SIZE })
  return listView(shown, position, filters, { reader, canApprove, now, ofAll: total, searched })
}

/** The commands behind a card's buttons. Permissions are checked when a window opens and again when it's submitted. */
function decisionCommands(deps: CertOrderDeps): VerbDeclaration[] {
  const { service, renderOutcome, orders, settings } = deps
  const choose = createChoose(deps)
  const refuseUnlessPossible = async (
    order: Order,
    decision: Extract<OrderDecision, { kind: 'reject' | 'resolve' }>,
  ): Promise<void> => {
    const { allowsOwn } = await settings.get(order.workspaceId, ORDER_SETTINGS)
    applyStep(order, { ...decision, allowsOwn }, await orders.readTime())
  }

  return [
    {
      line: '/cert-order approve',
      // Whoever says “my approvals” means those that wait for them.
      parameters: [ORDER_NUMBER, choice('mine', MINE_WORDS, { usage: '' })],
      description: 'Read an order in full and approve it',
      needs: 'approver',
      opensModal: true,
      ...choose('approve', (order, context) => openApproval(deps, context, order)),
    },
    {
      line: '/cert-order reject',
      parameters: REJECT_PARAMETERS,
      description: 'Reject an order, with a reason',
      needs: 'approver',
      opensModal: true,
      ...choose('reject', async (order, context, { values }) => {
        await refuseUnlessPossible(order, { kind: 'reject', by: context.userId, reason: '' })
        return rejectForm.open(order.environment, order, values.reason)
      }),
    },
    {
      line: '/cert-order resolve',
      hidden: true,
      label: 'record the outcome of',
      parameters: [THIS_ORDER, choice('finding', FINDINGS, { required: true })],
      description: 'Record how an order ended at the service',
      needs: 'approver',
      opensModal: true,
      // The order has a button for each.
      redirect: ({ values }) => (values.finding === undefined ? 'show' : undefined),
      async run(context, { values }) {
        const order = await findOrderOrThrow(deps, context, Number(values.number))
        // The window asks for the actual outcome.
        const outcome = { kind: 'failed', why: '', said: [], by: context.userId, how: 'later' } as const
        await refuseUnlessPossible(order, { kind: 'resolve', by: context.userId, outcome })
        const { number, environment } = order
        const again = await context.tell('/cert-order again', { words: [number], environment })
        const finding = values.finding === 'received' ? 'received' : 'failed'
        return resolveForm.open(environment, order, { finding, again })
      },
    },
    {
      line: '/cert-order withdraw',
      parameters: [ORDER_NUMBER],
      description: 'Withdraw your own order while it’s waiting for approval',
      needs: 'viewer',
      // Without a number, it only asks for one.
      isAct: ({ values }) => values.number !== undefined,
      ...choose('withdraw', async ({ number }, context) =>
        renderOutcome(context, await service.withdraw(context, number)),
      ),
    },
  ]
}
