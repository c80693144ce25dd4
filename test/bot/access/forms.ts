import { makeCsr } from '../../features/cert-orders/csr/make-csr.ts'

// Answers as in Slack's `view.state.values`.
const textAnswer = (value: string) => ({ type: 'plain_text_input', value })
const choiceAnswer = (value: string) => ({ type: 'static_select', selected_option: { value } })

/** Valid answers to a form, and the state that its modal was opened with. */
export interface FilledForm {
  values: object
  formState?: unknown
}

const CHECK = '7e57ed00-0000-4000-8000-00000000c0de'
const ALERT = { uuid: CHECK, name: 'web', id: 1, type: 'EMAIL', recipients: ['ann@example.com'] }
const check = {
  name: textAnswer('web'),
  protocol: choiceAnswer('TCP'),
  target: textAnswer('192.0.2.1'),
  port: textAnswer('443'),
  frequency: textAnswer('60'),
  customerId: textAnswer('1'),
}
const SEEN_CHECK = { name: 'web', address: { is: 'none' } }

/** Maps each form's ID to valid answers. The test of the access matrix fails if a form is missing here. */
export async function fillForms(): Promise<Readonly<Record<string, FilledForm>>> {
  const { pem } = makeCsr()
  return {
    'health-checks.create': { values: check },
    'health-checks.edit': { values: check, formState: { uuid: CHECK, seen: SEEN_CHECK } },
    'health-checks.deletion': {
      values: { name: textAnswer('web') },
      formState: {
        ...{ name: 'web', account: 'A', listing: 'unclear' },
        step: {
          ...{ do: 'delete', line: 1, name: 'web', uuid: CHECK, expects: SEEN_CHECK },
          seen: { address: SEEN_CHECK.address },
        },
      },
    },
    'health-checks.import': {
      values: { file: { type: 'file_input', files: [{ id: 'F0MATRIX01' }] } },
    },
    'health-checks.filter': { values: {} },
    'health-checks.bulk': {
      values: { names: textAnswer('web-*'), what: choiceAnswer('edit'), frequency: textAnswer('30') },
    },
    'alerts.add': {
      values: { recipients: textAnswer('cy@example.com') },
      formState: { uuid: CHECK, name: 'web' },
    },
    'alerts.edit': { values: { recipients: textAnswer('cy@example.com') }, formState: ALERT },
    'alerts.remove': { values: {}, formState: ALERT },
    'connection.connect': {
      values: { token: textAnswer('a-token') },
      formState: { environment: 'production' },
    },
    'connection.disconnect': {
      values: {},
      formState: { environment: 'production', storedAt: '2026-11-20T12:00:00.000Z' },
    },
    'cert-orders.order': {
      values: {
        action: choiceAnswer('create'),
        csr: textAnswer(pem),
        duration: textAnswer('1 year'),
        product: textAnswer('101'),
      },
      formState: { environment: 'production', offered: {} },
    },
    'cert-orders.approve': { values: {}, formState: { number: 1, hash: 'h' } },
    'cert-orders.reject': { values: { reason: textAnswer('No.') }, formState: { number: 1 } },
    'cert-orders.resolve': { values: {}, formState: { number: 1, finding: 'failed' } },
    'watching.watch': { values: { names: textAnswer('web-*') }, formState: {} },
    'watching.maintenance': {
      values: { what: textAnswer('all'), from: textAnswer('tomorrow 22:00'), for: textAnswer('2h') },
      formState: { planId: '' },
    },
    'cert-orders.settings': { values: { domains: textAnswer('example.com') }, formState: { domains: [] } },
  }
}
