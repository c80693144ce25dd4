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
import { type CatalogChoices, type FindChoices, findCatalogName } from '../catalog.ts'
import type { OrderService } from '../order-service.ts'
import { type Csr, readCsrFile } from '../rules/csr/csr.ts'
import type { Order } from '../rules/order.ts'
import { formBlocks, type OrderDraft, type OrderFormState, readUncheckedDraft } from './order-fields.ts'
import { readOrder } from './read-order.ts'

export interface FormDeps {
  service: OrderService
  findChoices: FindChoices
  /** The order as the window shows it after a step. `notSentBecause`: why it wasn't sent right away. */
  renderForUser: (context: CommandContext, order: Order, notSentBecause?: string) => Promise<Message>
}

/** The form for a new order. */
export const orderForm = form({
  id: 'cert-orders.order',
  title: 'Certificate order',
  button: 'Request certificate',
  verb: '/cert-order',
  needs: 'viewer',
  changesSomething: true,
  workingText: 'Requesting the certificate… The result will appear here.',
  content: (environment, draft: OrderDraft, choices: CatalogChoices, hint?: string) => {
    const formState: OrderFormState = { environment, choices }
    return { formState, blocks: formBlocks(draft, formState, hint) }
  },
  read: readOrder,
  async submit(
    context,
    draft,
    { choices, environment }: OrderFormState,
    { service, renderForUser }: FormDeps,
  ) {
    const { pem, ...csr } =
      draft.csr ?? (await context.remember('csr', () => downloadCsr(context, draft.fileId ?? '')))
    const request = { ...draft.order, csr: pem }
    const names = findCatalogNames(request, choices)
    const { order, notSentBecause } = await service.request(context, { environment, request, csr, names })
    return renderForUser(context, order, notSentBecause)
  },
  updateBlocks: (answers, formState: OrderFormState) => formBlocks(readUncheckedDraft(answers), formState),
})

export async function openOrderForm(
  { findChoices }: Pick<FormDeps, 'findChoices'>,
  context: Requester & ServiceAccess,
  initialDraft: OrderDraft | Promise<OrderDraft>,
  hint?: string,
): Promise<Modal> {
  const [draft, choices] = await Promise.all([initialDraft, findChoices(context)])
  return orderForm.open(context.environment, draft, choices, hint)
}

/** The CSR if it fits in the field; undefined if it has to be uploaded again. */
export const getCsrDraft = ({ content }: Order): string | undefined =>
  content.request.csr.length <= LIMITS.inputValue ? content.request.csr : undefined

/** Throws UserError if the file can't be used. The form then reopens with everything else as typed. */
async function downloadCsr(context: Messaging, fileId: string): Promise<Csr> {
  const slack = await context.slack()
  const result = await readCsrFile((await slack.download(fileId, TEXT_LIMITS.csrBytes)).bytes)
  if ('csr' in result) return result.csr
  throw new UserError(`${result.problem} If the file shouldn’t be in Slack, delete it there too.`)
}

const findCatalogNames = ({ productId, organizationId }: OrderRequest, choices: CatalogChoices) => ({
  product: findCatalogName(choices.products, productId),
  organization: findCatalogName(choices.organizations, organizationId),
})
