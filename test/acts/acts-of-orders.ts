import { makeCsr } from '../features/cert-orders/csr/make-csr.ts'
import { type ActKind, NO_WAIT, UNTIL_FORM } from './act-kind.ts'
import { type Stage, WORKSPACE } from './stage.ts'

const WAITING_FOR_APPROVAL = /is waiting for approval/

/** The fields of the order form. Each order has its own key, because there can be only one open order per key. */
const createAnswers = async (name: string) => ({
  'Certificate signing request (CSR)': (await makeCsr()).pem,
  Product: '101',
  Duration: '1 year',
  'Order reference': name,
})

const listOrders = ({ store }: Stage) => store.orders.list({ workspaceId: WORKSPACE, limit: 1000 })

/** Requests an order as the member; returns its number. */
async function requestOrder(stage: Stage, name: string): Promise<number> {
  const { member } = stage.slack
  await member.command('/cert-order', '', UNTIL_FORM)
  await member.submit(await createAnswers(name), { until: WAITING_FOR_APPROVAL })
  await member.close({ all: true })
  return Math.max(...(await listOrders(stage)).map(({ number }) => number))
}

const findState = async ({ store }: Stage, number: number): Promise<string> =>
  (await store.orders.find(WORKSPACE, number))?.state ?? 'gone'

/** Certificate orders. */
export const ORDER_ACTS: readonly ActKind[] = [
  {
    name: 'ask for an order',
    async prepare(stage, name) {
      const before = (await listOrders(stage)).length
      const answers = await createAnswers(name)
      await stage.slack.member.command('/cert-order', '', UNTIL_FORM)
      return {
        verb: '/cert-order',
        says: WAITING_FOR_APPROVAL,
        send: () => stage.slack.member.submit(answers, NO_WAIT),
        async effect() {
          const created = (await listOrders(stage)).length - before
          return created === 1 ? 'done' : created === 0 ? 'absent' : `${created} times`
        },
      }
    },
  },
  {
    name: 'approve an order',
    async prepare(stage, name) {
      const number = await requestOrder(stage, name)
      const before = (await stage.service.orders()).length
      await stage.slack.admin.command('/cert-order', `approve ${number}`, UNTIL_FORM)
      return {
        verb: '/cert-order approve',
        // An order that may have been placed has a button “It was not placed”.
        says: /is placed|order \d+ was not placed/i,
        writes: { method: 'POST', path: '/ssl/v2/orders' },
        isBlind: true,
        isByAdmin: true,
        send: () => stage.slack.admin.submit({}, NO_WAIT),
        async effect(read) {
          const placed = (await stage.service.orders()).length - before
          const state = await findState(stage, number)
          if (placed > 1) return `${placed} times`
          if (state === 'unknown') return 'partly'
          if (state === 'awaiting' && placed === 0) return 'absent'
          const isConsistent = state === 'placed' ? placed === 1 : state === 'failed' && placed === 0
          const isReported = read.includes(state === 'placed' ? 'is placed' : 'was not placed')
          return isConsistent && isReported ? 'done' : `${state}, ${placed} times at the service`
        },
      }
    },
  },
  {
    name: 'reject an order',
    async prepare(stage, name) {
      const number = await requestOrder(stage, name)
      await stage.slack.admin.command('/cert-order', `reject ${number}`, UNTIL_FORM)
      return {
        verb: '/cert-order reject',
        says: /was rejected/,
        isByAdmin: true,
        send: () => stage.slack.admin.submit({ Reason: 'No.' }, NO_WAIT),
        effect: async () =>
          ({ rejected: 'done', awaiting: 'absent' })[await findState(stage, number)] ?? 'else',
      }
    },
  },
  {
    name: 'withdraw an order',
    async prepare(stage, name) {
      const number = await requestOrder(stage, name)
      return {
        verb: '/cert-order withdraw',
        says: /was withdrawn/,
        send: () => stage.slack.member.command('/cert-order', `withdraw ${number}`, NO_WAIT),
        effect: async () =>
          ({ withdrawn: 'done', awaiting: 'absent' })[await findState(stage, number)] ?? 'else',
      }
    },
  },
]
