import { type Driver, readText } from '@signalman/playground/driver'
import { createReference } from '../../../packages/runtime/src/trace-context.ts'
import type { RequestedOrder } from '../../../src/features/cert-orders/order-service.ts'
import { readCsr } from '../../../src/features/cert-orders/rules/csr/csr.ts'
import {
  DEFAULT_SETTINGS,
  ORDER_SETTINGS,
  type OrderSettings,
} from '../../../src/features/cert-orders/rules/settings.ts'
import { accountFromToken } from '../../../src/service/service.ts'
import { shareWorld } from '../../shared-world.ts'
import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { type MadeCsr, makeCsr } from './csr/make-csr.ts'
import { storeOrder } from './order-process.ts'

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

export async function requestOrder(
  person: Driver['member'],
  {
    csr = makeCsr(),
    answers = {},
    until = 'is waiting for approval',
  }: { csr?: MadeCsr; answers?: Readonly<Record<string, string>>; until?: string } = {},
) {
  // Waits for the Submit button, because a modal may open before its content arrives.
  const form = await person.command('/cert-order', '', { until: ({ view }) => Boolean(view?.view.submit) })
  const isShown = (name: string) => readText(form.view).includes(name)
  if (!Object.keys(answers).every(isShown)) await showMore(person, form.view)
  const isAnswer = modalShows(until)
  const first = await person.submit(
    { ...createFormAnswers(csr), ...answers },
    { until: (answer) => isAnswer(answer) || modalShows('submit again')(answer) },
  )
  // The form warns of an open order with the same name once.
  const answer = isAnswer(first) ? first : await person.submit({}, { until: isAnswer })
  await person.close({ all: true })
  return answer
}

/** Shows the fields that few orders need. */
export const showMore = (person: Driver['member'], view: Parameters<typeof person.choose>[0]) =>
  person.choose(view, 'More…', ['yes'], { until: modalShows('Billing number') })

/** Opens the form with the field for a file. */
export async function openUpload(person: Driver['member']): Promise<void> {
  const form = await person.command('/cert-order', '', { until: ({ view }) => Boolean(view?.view.submit) })
  await showMore(person, form.view)
}

export async function approveOrder(admin: Driver['admin'], number = 1) {
  await admin.command('/cert-order', `approve ${number}`, { until: modalShows(`Approve order ${number}`) })
  const answer = await admin.submit({}, { until: modalShows('was received') })
  await admin.close({ all: true })
  return answer
}

/** Adds a waiting order of the person, as the form does. For tests of what follows, because the form is slow. */
export async function addOrder(
  { app: { store }, sandbox }: World,
  person: Driver['member'],
  csr: MadeCsr = makeCsr(),
  environment: RequestedOrder['environment'] = 'production',
): Promise<void> {
  const read = readCsr(csr.pem)
  if ('problem' in read) throw new Error(read.problem)
  const { pem, ...facts } = read.csr
  const request = {
    ...{ action: 'create', productId: '101', csr: pem, duration: '1 year' },
    ...{ validationMethod: 'VALIDATE_DNS', webServer: 'others' },
  }
  const requested = { request, csr: facts, names: { product: 'Domain validated, one name' } }
  const { number } = await storeOrder(
    store,
    { environment, ...requested },
    {
      ...{ workspaceId: WORKSPACE, requesterId: person.id, reference: createReference() },
      account: accountFromToken(sandbox.token),
    },
  )
  // Otherwise, it could be taken for the answer to what the test does next. The approvers were told before.
  await waitForDirectMessage(person, `Your order ${number} `)
}

export const modalShows =
  (text: string) =>
  ({ view }: { view?: Parameters<typeof readText>[0] }): boolean =>
    readText(view).includes(text)

export const listDirectMessages = async (person: Driver['member']): Promise<string[]> =>
  (await person.messages('dm')).map(readText)

export async function waitForDirectMessage(person: Driver['member'], text: string): Promise<void> {
  await person.until(`a direct message with “${text}”`, ({ messages, channels }) =>
    channels
      .filter(({ kind }) => kind === 'dm')
      .some(({ id }) => (messages[id] ?? []).some((message) => readText(message).includes(text))),
  )
}

export const listPlacedOrders = async (world: World): Promise<unknown[]> =>
  (await world.service.orders()).map(({ body }) => body)

export const findOrderState = async ({ app }: World, number = 1): Promise<string | undefined> =>
  (await app.store.orders.find(WORKSPACE, number))?.state
