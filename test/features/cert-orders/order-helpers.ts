import { type Driver, readText } from '@signalman/playground/driver'
import { createReference } from '../../../packages/runtime/src/trace-context.ts'
import { createOrderService, type StepContext } from '../../../src/features/cert-orders/order-service.ts'
import { readCsr } from '../../../src/features/cert-orders/rules/csr/csr.ts'
import {
  DEFAULT_SETTINGS,
  ORDER_SETTINGS,
  type OrderSettings,
} from '../../../src/features/cert-orders/rules/settings.ts'
import { orders as orderCalls } from '../../../src/service/orders.ts'
import { shareWorld } from '../../shared-world.ts'
import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { type MadeCsr, makeCsr } from './csr/make-csr.ts'

// Only used to build a body, so it never connects.
const { formatBody } = orderCalls(undefined as never)

export const ORDERS_PATH = '/ssl/v2/orders'
/** A channel that the playground's app is in. */
export const APPROVALS_CHANNEL = 'C0GENERAL1'

/** A workspace with this order policy, in which everyone may approve. */
export async function startOrders(
  policy: Partial<OrderSettings> = {},
  options: WorldOptions = {},
): Promise<World> {
  // Looks for work more often than usual, because nothing tells the app about an order that `addOrder` adds.
  const world = await startWorld({ ...options, workTimes: { pollMs: 250, ...options.workTimes } })
  await setPolicy(world, policy)
  return world
}

/** One world for all tests of a file, with an order of the member that awaits approval. */
export function shareOrder(): () => Promise<World> {
  const share = shareWorld({ workTimes: { pollMs: 250 } })
  let isAdded = false
  return async () => {
    const world = await share()
    if (!isAdded) await addOrder(world, world.slack.member)
    isAdded = true
    return world
  }
}

export const setPolicy = ({ app }: World, policy: Partial<OrderSettings>): Promise<void> =>
  app.store.settings.set(WORKSPACE, ORDER_SETTINGS, { ...DEFAULT_SETTINGS, ...policy })

export const createFormAnswers = ({ pem }: Pick<MadeCsr, 'pem'>) => ({
  'Certificate signing request (CSR)': pem,
  Product: '101',
  Duration: '1 year',
})

/** Requests an order in the form, and waits until it awaits approval. */
export async function requestOrder(
  person: Driver['member'],
  csr: MadeCsr = makeCsr(),
  until = 'is waiting for approval',
): Promise<void> {
  // Waits for the Submit button, because a modal may open before its content arrives.
  await person.command('/cert-order', '', { until: ({ view }) => Boolean(view?.view.submit) })
  await person.submit(createFormAnswers(csr), { until: modalShows(until) })
  await person.close({ all: true })
}

/** Opens the approval window of an order, and approves it. Returns the answer. */
export async function approveOrder(
  admin: Driver['admin'],
  number = 1,
  until: string | RegExp = 'was received',
) {
  await admin.command('/cert-order', `approve ${number}`, { until: modalShows(`Approve order ${number}`) })
  const answer = await admin.submit({}, { until: ({ view }) => RegExp(until).test(readText(view)) })
  await admin.close({ all: true })
  return answer
}

/** Adds a waiting order of the person, as the form does. For tests of what follows, because the form is slow. */
export async function addOrder(
  { app: { store } }: World,
  person: Driver['member'],
  csr: MadeCsr = makeCsr(),
): Promise<void> {
  const read = readCsr(csr.pem)
  if ('problem' in read) throw new Error(read.problem)
  const { pem, ...facts } = read.csr
  const service = createOrderService({
    ...{ orders: store.orders, settings: store.settings },
    ...{ submit: async (order) => order, wake: () => undefined },
  })
  const context = {
    ...{ workspaceId: WORKSPACE, enterpriseId: undefined, environment: 'production', userId: person.id },
    ...{
      reference: createReference(),
      api: async () => ({ orders: { formatBody } }),
    },
    change: (_: unknown, work: () => Promise<unknown>) => work(),
    once: (_: string, look: () => Promise<unknown>) => look(),
  }
  const order = await service.request(
    // Cast: the other parts aren't used.
    context as unknown as StepContext,
    {
      environment: 'production',
      request: {
        ...{ action: 'create', productId: '101', csr: pem, duration: '1 year' },
        ...{ validationMethod: 'VALIDATE_DNS', webServer: 'others' },
      },
      csr: facts,
      names: { product: 'Domain validated, one name' },
    },
  )
  if (order.state !== 'awaiting') throw new Error(`The order is ${order.state}.`)
  // Otherwise, it could be taken for the answer to what the test does next. The approvers were told before.
  await waitForDirectMessage(person, `Your order ${order.number} `)
}

/** Matches an answer whose modal shows this text. */
export const modalShows =
  (text: string) =>
  ({ view }: { view?: Parameters<typeof readText>[0] }): boolean =>
    readText(view).includes(text)

/** The texts of the person's direct messages with the app. */
export const listDirectMessages = async (person: Driver['member']): Promise<string[]> =>
  (await person.messages('dm')).map(readText)

export async function waitForDirectMessage(person: Driver['member'], text: string): Promise<void> {
  await person.until(`a direct message with “${text}”`, ({ messages, channels }) =>
    channels
      .filter(({ kind }) => kind === 'dm')
      .some(({ id }) => (messages[id] ?? []).some((message) => readText(message).includes(text))),
  )
}

/** The bodies of the orders that the service received. */
export const listPlacedOrders = async (world: World): Promise<unknown[]> =>
  (await world.service.orders()).map(({ body }) => body)

export const findOrderState = async ({ app }: World, number = 1): Promise<string | undefined> =>
  (await app.store.orders.find(WORKSPACE, number))?.state
