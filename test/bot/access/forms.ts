import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'

/** One answer in Slack's `view.state.values`. */
const typed = (value: string) => ({ answer: { type: 'plain_text_input', value } })
const chosen = (value: string) => ({ answer: { type: 'static_select', selected_option: { value } } })
const people = (...ids: string[]) => ({ answer: { type: 'multi_users_select', selected_users: ids } })

/** A form filled in without mistakes, and the state that its window was opened with. */
export interface Filled {
  values: object
  about?: unknown
}

const CHECK = '7e57ed00-0000-4000-8000-00000000c0de'
const ALERT = { uuid: CHECK, name: 'web', id: 1, type: 'EMAIL', recipients: ['ann@example.com'] }
const check = {
  name: typed('web'),
  protocol: chosen('TCP'),
  target: typed('192.0.2.1'),
  port: typed('443'),
  frequency: typed('60'),
  customerId: typed('1'),
}
const SEEN = { name: 'web', address: { is: 'none' } }
const nobody = { people: [], groups: [], everyone: false }

/** Maps the ID of each form to its valid answers. The matrix fails for a form that is missing here. */
export async function filledForms(): Promise<Readonly<Record<string, Filled>>> {
  const { pem } = await makeCsr()
  return {
    'health-checks.create': { values: check },
    'health-checks.edit': { values: check, about: { uuid: CHECK, seen: SEEN } },
    'health-checks.delete': {
      values: { name: typed('web') },
      about: {
        ...{ name: 'web', account: 'A', listing: 'unclear' },
        step: {
          ...{ do: 'delete', line: 1, name: 'web', uuid: CHECK, expects: SEEN },
          seen: { address: SEEN.address },
        },
      },
    },
    'health-checks.import': {
      values: { file: { answer: { type: 'file_input', files: [{ id: 'F0MATRIX01' }] } } },
    },
    'health-checks.filter': { values: {} },
    'health-checks.bulk': {
      values: { names: typed('web-*'), what: chosen('edit'), frequency: typed('30') },
    },
    'alerts.add': { values: { recipients: typed('cy@example.com') }, about: { uuid: CHECK, name: 'web' } },
    'alerts.edit': { values: { recipients: typed('cy@example.com') }, about: ALERT },
    'alerts.remove': { values: {}, about: ALERT },
    'connection.connect': { values: { environment: chosen('production'), token: typed('a-token') } },
    'connection.disconnect': {
      values: {},
      about: { environment: 'production', storedAt: '2026-11-20T12:00:00.000Z' },
    },
    'access.change': {
      values: { 'operator-people': people('U0MATRIX01') },
      about: { roles: { operator: nobody, approver: nobody, admin: nobody }, openChannels: [], keptDays: 0 },
    },
    'cert-orders.order': {
      values: { action: chosen('create'), csr: typed(pem), duration: typed('1 year'), product: typed('101') },
      about: { environment: 'production', offered: {} },
    },
    'cert-orders.approve': { values: {}, about: { number: 1, hash: 'h' } },
    'cert-orders.reject': { values: { reason: typed('No.') }, about: { number: 1 } },
    'cert-orders.resolve': { values: {}, about: { number: 1, finding: 'failed' } },
    'watching.watch': { values: { names: typed('web-*') }, about: {} },
    'watching.maintenance': {
      values: { what: typed('all'), from: typed('tomorrow 22:00'), for: typed('2h') },
      about: { planId: '' },
    },
    'watching.hand-over': { values: { to: people('U0MEMBER01') }, about: { cardId: 'A'.repeat(22) } },
    'cert-orders.policy': {
      values: {
        requesters: chosen('viewer'),
        approvals: typed('1'),
        expiry: typed('72'),
        reminder: typed('24'),
        rsa: chosen('2048'),
        wildcards: chosen('extra'),
        'other-names': chosen('no'),
        ote: chosen('same'),
      },
    },
  }
}
