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
import type { OrderRequest } from '../../../service/orders.ts'
import { type Choices, type FindChoices, findName } from '../catalog.ts'
import type { OrderService } from '../order-service.ts'
import { type Csr, readCsrFile } from '../rules/csr/csr.ts'
import type { Order } from '../rules/order.ts'
import { formBlocks, type OrderAbout, type OrderDraft, typedSoFar } from './order-fields.ts'
import { readOrder } from './read-order.ts'

export interface FormParts {
  service: OrderService
  findOffered: FindChoices
  /** The order as its window shows it after a step, and why it wasn't sent at once. */
  show: (context: CommandContext, order: Order, notSentBecause?: string) => Promise<Message>
}

/** The form for a new order. */
export const orderForm = form({
  id: 'cert-orders.order',
  title: 'Certificate order',
  button: 'Request certificate',
  verb: '/cert-order',
  needs: 'viewer',
  changesSomething: true,
  working: 'Sending the order… The result will appear here.',
  asks: (environment, draft: OrderDraft, offered: Choices, hint?: string) => {
    const about: OrderAbout = { environment, offered }
    return { about, blocks: formBlocks(draft, about, hint) }
  },
  read: readOrder,
  async submit(context, filled, { offered, environment }: OrderAbout, { service, show }: FormParts) {
    const { pem, ...csr } =
      filled.csr ?? (await context.keep('csr', () => uploaded(context, filled.fileId ?? '')))
    const request = { ...filled.order, csr: pem }
    const names = findNames(request, offered)
    const { order, notSentBecause } = await service.request(context, { environment, request, csr, names })
    return show(context, order, notSentBecause)
  },
  follow: (answers, about: OrderAbout) => formBlocks(typedSoFar(answers), about),
})

export async function openOrderForm(
  { findOffered }: Pick<FormParts, 'findOffered'>,
  context: Requester & ServiceAccess,
  filled: OrderDraft | Promise<OrderDraft>,
  hint?: string,
): Promise<Modal> {
  const [draft, offered] = await Promise.all([filled, findOffered(context)])
  return orderForm.open(context.environment, draft, offered, hint)
}

/** As much of a CSR as the field can hold. A longer one must be uploaded again. */
export const csrDraft = ({ content }: Order): string | undefined =>
  content.request.csr.length <= LIMITS.inputValue ? content.request.csr : undefined

/** Throws UserError with what is wrong with the file. The form then reopens with everything else as typed. */
async function uploaded(context: Messaging, fileId: string): Promise<Csr> {
  const slack = await context.slack()
  const read = await readCsrFile((await slack.download(fileId, TEXT_LIMITS.csrBytes)).bytes)
  if ('csr' in read) return read.csr
  throw new UserError(`${read.problem} If the file shouldn’t be in Slack, delete it there too.`)
}

const findNames = ({ productId, organizationId }: OrderRequest, offered: Choices) => ({
  product: findName(offered.products, productId),
  organization: findName(offered.organizations, organizationId),
})
