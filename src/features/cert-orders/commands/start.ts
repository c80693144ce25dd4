import { UserError } from '@signalman/runtime'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { slot } from '../../../bot/grammar/slots.ts'
import type { CommandContext, Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import type { Modal, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { cmd } from '../../../domain/command-names.ts'
import { readTyped } from '../../../domain/typed-text/typed-address.ts'
import { formatList } from '../../../domain/wording.ts'
import type { CertOrderDeps } from '../create-cert-orders.ts'
import { EMPTY_DRAFT, getCsrDraft, type OrderDraft, openOrderForm, toDraft } from '../forms/order.ts'
import { CERTIFICATE_NOUN, ORDER_NUMBER, requireNumber } from '../parse.ts'
import type { StoredOrders } from '../rows/orders.ts'
import type { Order } from '../rules/order.ts'
import type { Action } from '../rules/request-fields.ts'
import { findOrderForName } from '../search-orders.ts'
import { findOrderOrThrow, type RuleDeps, requireRequesterRole } from '../transition-order.ts'

/** The commands that open the order form: empty, for an existing certificate, or filled in from an earlier order. */
export function startCommands(deps: CertOrderDeps): VerbDeclaration[] {
  const { orders } = deps
  const createFormVerb = (
    declaration: Pick<VerbDeclaration, 'line' | 'description' | 'slots' | 'also' | 'elsewhere'>,
    open: (context: CommandContext, typed: Arguments) => Promise<Modal>,
  ): VerbDeclaration => ({
    ...declaration,
    needs: 'viewer',
    changesSomething: true,
    opensModal: true,
    async run(context, typed) {
      await requireRequesterRole(deps, context)
      return open(context, typed)
    },
  })
  const createCertificateVerb = (action: Exclude<Action, 'create'>): VerbDeclaration =>
    createFormVerb(
      {
        line: `/cert-order ${action}`,
        slots: [
          CERTIFICATE_NOUN,
          slot('certificate', 'text', {
            usage: 'CERT_ID|NAME',
            required: true,
            after: ['for', 'of', 'id', 'name', 'domain', 'host', 'cert-name', 'd'],
          }),
        ],
        also: MORE_WORDS[action],
        description: `Request to ${action} a certificate by its ID or a name in it, filled in from its earlier order`,
      },
      async (context, { values }) => {
        // Throws if no token is stored.
        await context.api()
        return openForCertificate(deps, context, action, values.certificate)
      },
    )

  return [
    createFormVerb(
      {
        line: '/cert-order',
        slots: [CERTIFICATE_NOUN, slot('host', 'host', { many: true, after: ['for'], usage: '' })],
        also: [
          'new',
          'order',
          'create',
          'request',
          'issue',
          'obtain',
          'enroll',
          'generate',
          'certonly',
          'get new',
        ],
        elsewhere: { number: '/cert-order show' },
        description: 'Request a new, renewed, or reissued certificate',
      },
      async (context, { lists: { host: names = [] } }) => {
        // Without a token nothing can be ordered, so fail before anyone fills in the form.
        await context.api()
        const hint =
          names.length > 0
            ? `The names come from the request (CSR). Paste one for ${formatList(names, MAX_NAMED, String)}.`
            : undefined
        return openOrderForm(deps, context, readDefaultDraft(orders, context), hint)
      },
    ),

    createCertificateVerb('renew'),
    createCertificateVerb('reissue'),

    createFormVerb(
      {
        line: '/cert-order again',
        slots: [ORDER_NUMBER],
        also: ['repeat', 'duplicate', 'copy', 'clone', 'redo', 'reorder', 'retry', 'resubmit'],
        description: 'Request an earlier order again',
      },
      async (context, typed) => {
        const order = await findOrderOrThrow(deps, context.workspaceId, requireNumber(typed, 'again'))
        // Fails before anyone fills in the form. People who want to order with another key start with an empty form.
        await orders.refuseWhileOpen(order)
        return openAgain(deps, context, order)
      },
    ),
  ]
}

/** Other words for a request about a certificate. */
const MORE_WORDS = { renew: ['renewal', 'extend'], reissue: ['rekey', 're-issue'] } as const
const MAX_SEARCHED = 20
const MAX_NAMED = 5

/** A draft with the values of this person's last request. */
export async function readDefaultDraft(orders: StoredOrders, context: Requester): Promise<OrderDraft> {
  const { workspaceId, environment, userId: requesterId } = context
  const earlierOrders = await orders.list({ workspaceId, environment, requesterId, limit: MAX_SEARCHED })
  const [lastOrder] = earlierOrders
  if (!lastOrder) return EMPTY_DRAFT
  const { certificate: _, reference: __, action: ___, ...reusable } = toDraft(lastOrder)
  // A renewal has a certificate ID instead of a product, so the product comes from the last order that has one.
  const product = earlierOrders.find(({ content }) => content.request.productId !== undefined)?.content
    .request.productId
  const filledIn = Object.entries({ ...reusable, product }).filter(([, value]) => value !== undefined)
  return { ...EMPTY_DRAFT, ...Object.fromEntries(filledIn), action: 'create' }
}

const NEW_KEY_ADVICE = 'For better security, create a new key and a new request.'

/**
 * The form for an existing certificate, given by its ID at the service, or by a name in it. Filled in from an earlier order for it.
 */
async function openForCertificate(
  deps: CertOrderDeps,
  context: Requester & ServiceAccess,
  action: Exclude<Action, 'create'>,
  named = '',
): Promise<Modal> {
  if (named === '')
    throw new UserError(`Which certificate? Type its ID: ${cmd('/cert-order')} ${action} CERT_ID.`)
  const address = readTyped(named)
  // A certificate is for the host of a URL.
  const typed = address.kind === 'url' ? address.host : named
  const { source, certificate, hint } = isName(typed)
    ? await findByName(deps, context, typed)
    : await findById(deps, context, typed)
  const draft = source ? toDraft(source) : await readDefaultDraft(deps.orders, context)
  const hints = [hint, ...(certificate === undefined ? [NO_ID_HINT] : []), NEW_KEY_ADVICE].join(' ')
  return openOrderForm(deps, context, { ...draft, action, product: undefined, certificate }, hints)
}

/** The order to fill in from, the certificate's ID at the service, if it's known, and a sentence about the order. */
interface KnownCertificate {
  source: Order | undefined
  certificate: string | undefined
  hint: string
}

/** From the newest order that renews it. */
async function findById(
  { orders }: RuleDeps,
  { workspaceId, environment }: Requester,
  certificate: string,
): Promise<KnownCertificate> {
  const renewals = await orders.list({ workspaceId, environment, limit: MAX_SEARCHED, renewsId: certificate })
  const source = renewals.find(({ state }) => state === 'received') ?? renewals[0]
  const hint = source
    ? `Filled in from order ${source.number}.`
    : 'Signalman has no earlier order for this certificate.'
  return { source, certificate, hint }
}

/** A name has a dot, and neither an ID nor a fingerprint does. */
const isName = (typed: string): boolean => /^(?:\*\.)?[^\s.]+(?:\.[^\s.]+)+$/.test(typed)

/** From the newest order for a name. */
async function findByName(
  { orders }: RuleDeps,
  context: Requester,
  typed: string,
): Promise<KnownCertificate> {
  const name = readTyped(typed.replace(/^\*\./, ''))
  const wanted = `${typed.startsWith('*.') ? '*.' : ''}${name.kind === 'host' ? name.value : typed.toLowerCase()}`
  const source = await findOrderForName(orders, context, name.kind === 'ip' ? `IP ${name.value}` : wanted)
  const hint = source
    ? `Filled in from order ${source.number}, the newest for ${wanted}.`
    : `Signalman has no earlier order for ${wanted}.`
  return { source, certificate: undefined, hint }
}

const NO_ID_HINT =
  'Enter the certificate’s ID at the service below, or choose Create to order it anew.'

/** The form filled in from an earlier order, in that order's environment. */
async function openAgain(forms: CertOrderDeps, context: CommandContext, order: Order): Promise<Modal> {
  const { environment, number } = order
  const csr = getCsrDraft(order)
  const uploadHint = csr === undefined ? ' Its request (CSR) is too long for the field. Upload it again.' : ''
  const api: CommandContext['api'] = (requestedEnvironment = environment) => context.api(requestedEnvironment)
  const orderContext: CommandContext = { ...context, environment, api }
  await orderContext.api()
  return openOrderForm(
    forms,
    orderContext,
    { ...toDraft(order), csr },
    `Filled in from order ${number}.${uploadHint}`,
  )
}
