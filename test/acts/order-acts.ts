import { makeCsr } from '../features/cert-orders/csr/make-csr.ts'
import { showMore } from '../features/cert-orders/order-helpers.ts'
import { type ActKind, describeCount, NO_WAIT, UNTIL_FORM } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'

const WAITING_FOR_APPROVAL = /is waiting for approval/

/**
 * The fields of the order form. Each order has its own key, because there can be only one open order per key, and its own host, because
 * the form warns of other orders for the same one.
 */
const createAnswers = async (name: string) => ({
  'Certificate signing request (CSR)': makeCsr({ names: [toHost(name)], commonName: toHost(name) }).pem,
  Product: '101',
  Duration: '1 year',
  'Order reference': name,
})

const toHost = (name: string): string => `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.example.com`

const listOrders = ({ store }: Deployment) =>
  Array.fromAsync(store.orders.scan({ workspaceId: WORKSPACE, environment: 'production', limit: 100 }))

const findOrders = async (deployment: Deployment, name: string) =>
  (await listOrders(deployment)).filter(({ content }) => content.request.orderReference === name)

const countPlaced = async ({ service }: Deployment, name: string): Promise<number> =>
  (await service.orders()).filter(({ body }) => JSON.stringify(body).includes(`"${name}"`)).length

async function requestOrder(deployment: Deployment, name: string): Promise<number> {
  const { member } = deployment.slack
  const form = await member.command('/cert-order', '', UNTIL_FORM)
  await showMore(member, form.view)
  await member.submit(await createAnswers(name), { until: WAITING_FOR_APPROVAL })
  await member.close({ all: true })
  const [order] = await findOrders(deployment, name)
  if (!order) throw new Error(`There is no order ${name}.`)
  return order.number
}

const findState = async ({ store }: Deployment, number: number): Promise<string> =>
  (await store.orders.find(WORKSPACE, number))?.state ?? 'gone'

export const ORDER_ACTS: readonly ActKind[] = [
  {
    name: 'request an order',
    async prepare(deployment, name) {
      const answers = await createAnswers(name)
      const { member } = deployment.slack
      const form = await member.command('/cert-order', '', UNTIL_FORM)
      await showMore(member, form.view)
      return {
        verb: '/cert-order',
        donePattern: WAITING_FOR_APPROVAL,
        send: () => deployment.slack.member.submit(answers, NO_WAIT),
        readEffect: async () => describeCount((await findOrders(deployment, name)).length),
      }
    },
  },
  {
    name: 'approve an order',
    async prepare(deployment, name) {
      const number = await requestOrder(deployment, name)
      await deployment.slack.admin.command('/cert-order', `approve ${number}`, UNTIL_FORM)
      return {
        verb: '/cert-order approve',
        // Requires the order number, so that the pattern doesn't match the button “It failed”.
        donePattern: /was received|order \d+ failed/i,
        serviceRequest: { method: 'POST', path: '/ssl/v2/orders' },
        undetectable: ['done', 'absent'],
        isByAdmin: true,
        send: () => deployment.slack.admin.submit({}, NO_WAIT),
        async readEffect(seenText) {
          const placed = await countPlaced(deployment, name)
          const state = await findState(deployment, number)
          if (placed > 1) return `${placed} times`
          if (state === 'unknown') return 'partly'
          if (state === 'awaiting' && placed === 0) return 'absent'
          const isConsistent = state === 'received' ? placed === 1 : state === 'failed' && placed === 0
          const isReported = seenText.includes(state === 'received' ? 'was received' : 'failed')
          return isConsistent && isReported ? 'done' : `${state}, ${placed} times at the service`
        },
      }
    },
  },
  {
    name: 'reject an order',
    async prepare(deployment, name) {
      const number = await requestOrder(deployment, name)
      await deployment.slack.admin.command('/cert-order', `reject ${number}`, UNTIL_FORM)
      return {
        verb: '/cert-order reject',
        donePattern: /was rejected/,
        isByAdmin: true,
        send: () => deployment.slack.admin.submit({ Reason: 'No.' }, NO_WAIT),
        readEffect: async () =>
          ({ rejected: 'done', awaiting: 'absent' })[await findState(deployment, number)] ?? 'other',
      }
    },
  },
  {
    name: 'withdraw an order',
    async prepare(deployment, name) {
      const number = await requestOrder(deployment, name)
      return {
        verb: '/cert-order withdraw',
        donePattern: /was withdrawn/,
        send: () => deployment.slack.member.command('/cert-order', `withdraw ${number}`, NO_WAIT),
        readEffect: async () =>
          ({ withdrawn: 'done', awaiting: 'absent' })[await findState(deployment, number)] ?? 'other',
      }
    },
  },
]
