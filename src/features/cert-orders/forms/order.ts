import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import { LIMITS, type Message } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type {
  CommandContext,
  Messaging,
  Requester,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import type { IsListedKey } from '../../../domain/listed-keys.ts'
import type { OrderRequest } from '../../../service/orders.ts'
import { type FindOffered, nameOfId, type Offered } from '../catalog.ts'
import { type Csr, readCsrFile } from '../csr/csr.ts'
import type { Order } from '../order.ts'
import type { OrderService } from '../order-service.ts'
import { differences } from '../views/facts.ts'
import { orderName } from '../views/words.ts'
import { draftOf, formBlocks, type OrderAbout, type OrderDraft, typedSoFar } from './order-fields.ts'
import { readEdited, readOrder } from './read-order.ts'

export interface FormParts {
  service: OrderService
  findOffered: FindOffered
  isListedKey: IsListedKey
  /** The order as its window shows it after a step, and why it was not sent at once. */
  show: (context: CommandContext, order: Order, notSentBecause?: string) => Promise<Message>
}

/** The form for a new order. */
export const orderForm = (isListedKey: IsListedKey) =>
  form({
    id: 'cert-orders.order',
    title: 'Certificate order',
    button: 'Request certificate',
    verb: '/cert-order',
    needs: 'viewer',
    changesSomething: true,
    working: 'Sending the order… The result will appear here.',
    asks: (environment, draft: OrderDraft, offered: Offered, hint?: string) => {
      const about: OrderAbout = { environment, offered }
      return { about, blocks: formBlocks(draft, about, hint) }
    },
    read: (answers) => readOrder(answers, isListedKey),
    async submit(context, filled, { offered, environment }: OrderAbout, { service, show }: FormParts) {
      const { pem, ...csr } =
        filled.csr ?? (await context.keep('csr', () => uploaded(context, filled.fileId ?? '', isListedKey)))
      const request = { ...filled.order, csr: pem }
      const names = namesOf(request, offered)
      const { order, notSentBecause } = await service.request(context, { environment, request, csr, names })
      return show(context, order, notSentBecause)
    },
    follow: (answers, about: OrderAbout) => formBlocks(typedSoFar(answers), about),
  })

/** The form in which an approver changes an order before approving it. */
export const editForm = form({
  id: 'cert-orders.edit',
  title: 'Edit and approve',
  button: 'Approve',
  verb: '/cert-order edit',
  needs: 'approver',
  working: 'Approving the order as it is now… The result will appear here.',
  asks(_, order: Order, offered: Offered) {
    const { environment, number, bodyHash: hash } = order
    const about: OrderAbout = { environment, offered, edits: { number, hash } }
    const hint = `${orderName(order)}. When you send this, you approve order ${number} with your changes, and the requester is shown what you changed. If the rules ask for a second person, somebody else has to approve it too.`
    return { about, blocks: formBlocks(draftOf(order), about, hint) }
  },
  read: readEdited,
  async submit(context, { order: edited }, { offered, edits }: OrderAbout, { service, show }: FormParts) {
    if (!edits) throw new UserError('This window has lost its order. Open it again.')
    const order = await service.edit(context, edits.number, edits.hash, ({ content }) => {
      const { request: asked, csr, names: were } = content
      const request: OrderRequest = { ...edited, csr: asked.csr }
      const names = keptNames(request, asked, were, namesOf(request, offered))
      return { request, names, fields: differences(content, { request, csr, names }) }
    })
    return show(context, order)
  },
  follow: (answers, about: OrderAbout) => formBlocks(typedSoFar(answers), about),
})

export async function openOrderForm(
  { findOffered, isListedKey }: FormParts,
  context: Requester & ServiceAccess,
  filled: OrderDraft | Promise<OrderDraft>,
  hint?: string,
): Promise<Modal> {
  const [draft, offered] = await Promise.all([filled, findOffered(context)])
  return orderForm(isListedKey).open(context.environment, draft, offered, hint)
}

export async function openEditForm(
  { findOffered }: FormParts,
  context: Requester & ServiceAccess,
  order: Order,
): Promise<Modal> {
  const { environment } = order
  const api: CommandContext['api'] = (_, options) => context.api(environment, options)
  const offered = await findOffered({ workspaceId: context.workspaceId, environment, api })
  return editForm.open(environment, order, offered)
}

/** As much of a CSR as its field holds; a longer one is uploaded again. */
export const csrDraft = ({ content }: Order): string | undefined =>
  content.request.csr.length <= LIMITS.inputValue ? content.request.csr : undefined

/** Throws UserError with what is wrong with the file: the form comes back then, with everything else as typed. */
async function uploaded(context: Messaging, fileId: string, isListed: IsListedKey): Promise<Csr> {
  const slack = await context.slack()
  const read = await readCsrFile((await slack.download(fileId, TEXT_LIMITS.csrBytes)).bytes, isListed)
  if ('csr' in read) return read.csr
  throw new UserError(`${read.problem} If the file should not be in Slack, delete it there too.`)
}

const namesOf = ({ productId, organizationId }: OrderRequest, offered: Offered) => ({
  product: nameOfId(offered.products, productId),
  organization: nameOfId(offered.organizations, organizationId),
})

/** A name that the service gives no longer is kept for the id that it belonged to. */
function keptNames(
  request: OrderRequest,
  asked: OrderRequest,
  were: Order['content']['names'],
  names: Order['content']['names'],
): Order['content']['names'] {
  return {
    product: names.product ?? (request.productId === asked.productId ? were.product : undefined),
    organization:
      names.organization ?? (request.organizationId === asked.organizationId ? were.organization : undefined),
  }
}
