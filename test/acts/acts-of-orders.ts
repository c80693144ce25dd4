import { makeCsr } from '../features/cert-orders/csr/make-csr.ts'
import { type ActKind, AT_ONCE, FORM } from './act-kind.ts'
import { type Stage, WORKSPACE } from './stage.ts'

const ASKED = /is waiting for approval/

/** Each has its own key, because there can only be one open order per key. */
const answersFor = async (name: string) => ({
  'Certificate signing request (CSR)': (await makeCsr()).pem,
  Product: '101',
  Duration: '1 year',
  'Order reference': name,
})

const orders = ({ store }: Stage) => store.orders.list({ workspaceId: WORKSPACE, limit: 1000 })

/** Requests an order as the member; returns its number. */
async function asked(stage: Stage, name: string): Promise<number> {
  const { member } = stage.slack
  await member.command('/cert-order', '', FORM)
  await member.submit(await answersFor(name), { until: ASKED })
  await member.close({ all: true })
  return Math.max(...(await orders(stage)).map(({ number }) => number))
}

const stateOf = async ({ store }: Stage, number: number): Promise<string> =>
  (await store.orders.find(WORKSPACE, number))?.state ?? 'gone'

/** Certificate orders. */
export const ACTS_OF_ORDERS: readonly ActKind[] = [
  {
    name: 'ask for an order',
    async prepare(stage, name) {
      const before = (await orders(stage)).length
      const answers = await answersFor(name)
      await stage.slack.member.command('/cert-order', '', FORM)
      return {
        verb: '/cert-order',
        says: ASKED,
        send: () => stage.slack.member.submit(answers, AT_ONCE),
        async effect() {
          const made = (await orders(stage)).length - before
          return made === 1 ? 'done' : made === 0 ? 'absent' : `${made} times`
        },
      }
    },
  },
  {
    name: 'approve an order',
    async prepare(stage, name) {
      const number = await asked(stage, name)
      const before = (await stage.service.orders()).length
      await stage.slack.admin.command('/cert-order', `approve ${number}`, FORM)
      return {
        verb: '/cert-order approve',
        // The button of an order that may have been placed: “It was not placed”.
        says: /is placed|order \d+ was not placed/i,
        writes: { method: 'POST', path: '/ssl/v2/orders' },
        isBlind: true,
        isByAdmin: true,
        send: () => stage.slack.admin.submit({}, AT_ONCE),
        async effect(read) {
          const placed = (await stage.service.orders()).length - before
          const state = await stateOf(stage, number)
          if (placed > 1) return `${placed} times`
          if (state === 'unknown') return 'partly'
          if (state === 'awaiting' && placed === 0) return 'absent'
          const isSo = state === 'placed' ? placed === 1 : state === 'failed' && placed === 0
          const isRead = read.includes(state === 'placed' ? 'is placed' : 'was not placed')
          return isSo && isRead ? 'done' : `${state}, ${placed} times at the service`
        },
      }
    },
  },
  {
    name: 'reject an order',
    async prepare(stage, name) {
      const number = await asked(stage, name)
      await stage.slack.admin.command('/cert-order', `reject ${number}`, FORM)
      return {
        verb: '/cert-order reject',
        says: /was rejected/,
        isByAdmin: true,
        send: () => stage.slack.admin.submit({ Reason: 'No.' }, AT_ONCE),
        effect: async () =>
          ({ rejected: 'done', awaiting: 'absent' })[await stateOf(stage, number)] ?? 'else',
      }
    },
  },
  {
    name: 'withdraw an order',
    async prepare(stage, name) {
      const number = await asked(stage, name)
      return {
        verb: '/cert-order withdraw',
        says: /was withdrawn/,
        send: () => stage.slack.member.command('/cert-order', `withdraw ${number}`, AT_ONCE),
        effect: async () =>
          ({ withdrawn: 'done', awaiting: 'absent' })[await stateOf(stage, number)] ?? 'else',
      }
    },
  },
]
