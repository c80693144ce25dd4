import { type Driver, readText } from '@signalman/playground/driver'
import {
  DEFAULT_POLICY,
  ORDER_POLICY,
  type OrderPolicy,
} from '../../../src/features/cert-orders/rules/policy.ts'
import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { type MadeCsr, makeCsr } from './csr/make-csr.ts'

export const ORDERS_PATH = '/ssl/v2/orders'
/** A channel that the playground's app is in. */
export const APPROVALS_CHANNEL = 'C0GENERAL1'

/** A workspace with this order policy, in which everyone may approve. */
export async function startOrders(
  policy: Partial<OrderPolicy> = {},
  options: WorldOptions = {},
): Promise<World> {
  const world = await startWorld(options)
  await setPolicy(world, policy)
  return world
}

export const setPolicy = ({ app }: World, policy: Partial<OrderPolicy>): Promise<void> =>
  app.store.settings.set(WORKSPACE, ORDER_POLICY, { ...DEFAULT_POLICY, ...policy })

export const createFormAnswers = ({ pem }: Pick<MadeCsr, 'pem'>) => ({
  'Certificate signing request (CSR)': pem,
  Product: '101',
  Duration: '1 year',
})

/** Requests an order in the form, and waits until it awaits approval. */
export async function requestOrder(
  person: Driver['member'],
  csr?: MadeCsr,
  until = 'is waiting for approval',
): Promise<void> {
  // Waits for the Submit button, because a modal may open before its content arrives.
  await person.command('/cert-order', '', { until: ({ view }) => Boolean(view?.view.submit) })
  await person.submit(createFormAnswers(csr ?? (await makeCsr())), { until: modalShows(until) })
  await person.close({ all: true })
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
