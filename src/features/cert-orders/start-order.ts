import { UserError } from '@signalman/runtime'
import type { CommandContext, Requester, ServiceAccess } from '../../bot/routes/command-context.ts'
import type { Modal } from '../../bot/routes/routes.ts'
import { csrDraft, type FormParts, orderModal } from './forms/order.ts'
import { draftOf, EMPTY, type OrderDraft } from './forms/order-fields.ts'
import type { Action } from './forms/read-order.ts'
import type { Order, OrderRepository } from './order.ts'

const CONSIDERED = 20

/** What this person last asked for, where it is likely to be so again. */
export async function freshDraft(orders: OrderRepository, context: Requester): Promise<OrderDraft> {
  const { workspaceId, environment, userId: requesterId } = context
  const earlier = await orders.list({ workspaceId, environment, requesterId, limit: CONSIDERED })
  const [last] = earlier
  if (!last) return EMPTY
  const { certificate: _, reference: __, action: ___, ...kept } = draftOf(last)
  // A renewal names a certificate instead: the product is that of the last order which had one.
  const product = earlier.find(({ content }) => content.request.productId !== undefined)?.content.request
    .productId
  return { ...EMPTY, ...definedIn({ ...kept, product }), action: 'create' }
}

const definedIn = (draft: Partial<OrderDraft>): Partial<OrderDraft> =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined))

const NEW_KEY =
  'A new key is safer than the old one: openssl req -new -newkey rsa:2048 -nodes -keyout new.key -out new.csr -addext subjectAltName=DNS:www.example.com makes both.'

/** The form for an existing certificate, filled in from the newest order that made it or is about it. */
export async function certificateModal(
  forms: FormParts,
  orders: OrderRepository,
  context: Requester & ServiceAccess,
  action: Exclude<Action, 'create'>,
  [certificate = '']: readonly string[],
): Promise<Modal> {
  if (certificate === '')
    throw new UserError(`Which certificate? Type its id: /cert-order ${action} CERT_ID.`)
  const { workspaceId, environment } = context
  const earlier = await orders.list({
    workspaceId,
    environment,
    certificateId: certificate,
    limit: CONSIDERED,
  })
  const found = earlier.find(({ state }) => state === 'placed') ?? earlier[0]
  const draft = found ? draftOf(found) : await freshDraft(orders, context)
  const hint = found
    ? `Filled in from order ${found.number}. ${NEW_KEY}`
    : `No earlier order of this certificate is known here. ${NEW_KEY}`
  return orderModal(forms, context, { ...draft, action, product: undefined, certificate }, hint)
}

/** The form with everything that an earlier order asked for, in that order's environment. */
export async function againModal(forms: FormParts, context: CommandContext, order: Order): Promise<Modal> {
  const { environment, number } = order
  const csr = csrDraft(order)
  const hint = [
    `Filled in from order ${number}.`,
    ...(csr === undefined ? ['Its request (CSR) is too long for the field: upload it again.'] : []),
  ].join(' ')
  const api: CommandContext['api'] = (wanted = environment, options) => context.api(wanted, options)
  const there: CommandContext = { ...context, environment, api }
  // Without a token nothing can be ordered: said now, not when everything is filled in.
  await there.api()
  return orderModal(forms, there, { ...draftOf(order), csr }, hint)
}
