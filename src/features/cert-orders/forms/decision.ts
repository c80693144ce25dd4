import { textInput } from '../../../blocks/inputs.ts'
import { section } from '../../../blocks/layout.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { FieldErrors } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import { type Order, titleOf } from '../order.ts'
import type { OrderPolicy } from '../policy.ts'
import type { Names } from '../views/facts.ts'
import { orderBlocks } from '../views/messages.ts'
import type { FormParts } from './order.ts'

const APPROVE_FORM = 'cert-orders.approve'
const REJECT_FORM = 'cert-orders.reject'
const RESOLVE_FORM = 'cert-orders.resolve'

interface DecisionAbout {
  number: number
  /** The body that was shown. */
  hash: string
}

export function approveModal(order: Order, shown: { policy: OrderPolicy; people: Names }): Modal {
  const about: DecisionAbout = { number: order.number, hash: order.bodyHash }
  const left = shown.policy.approvals - order.content.approvals.length
  const what =
    left > 1
      ? 'Your approval is one of several that it needs.'
      : 'With your approval the order is placed at once. It is sent once and never repeated by itself.'
  return {
    title: `Approve order ${order.number}`,
    form: { id: APPROVE_FORM, submit: 'Approve' },
    about,
    blocks: [section(`${titleOf(order)}\n${what}`), orderBlocks(order, shown)],
  }
}

export const approveForm = ({ service, show }: FormParts): Form<undefined, DecisionAbout> => ({
  id: APPROVE_FORM,
  verb: '/cert-order approve',
  needs: 'approver',
  working: 'Approving… This window shows what becomes of the order.',
  read: () => undefined,
  submit: async (ask, _, { number, hash }) => show(ask, await service.approve(ask, number, hash)),
})

const LONGEST_REASON = 1000

export const rejectModal = (order: Order): Modal => ({
  title: `Reject order ${order.number}`,
  form: { id: REJECT_FORM, submit: 'Reject' },
  about: { number: order.number },
  blocks: [
    section(`${titleOf(order)}\nNothing is ordered then. The requester reads your reason.`),
    textInput('reason', 'Reason', { multiline: true, max: LONGEST_REASON }),
  ],
})

export const rejectForm = ({ service, show }: FormParts): Form<string, Pick<DecisionAbout, 'number'>> => ({
  id: REJECT_FORM,
  verb: '/cert-order reject',
  needs: 'approver',
  working: 'Rejecting…',
  read(answers) {
    const reason = answers.text('reason')
    if (!reason) throw new FieldErrors({ reason: 'Say why: the requester has nothing else to go by.' })
    return reason
  },
  submit: async (ask, reason, { number }) => show(ask, await service.reject(ask, number, reason)),
})

/** What somebody found out about an order of unknown outcome. */
export const FINDINGS = ['placed', 'failed', 'again'] as const
export type Finding = (typeof FINDINGS)[number]

const FOUND: Readonly<Record<Finding, { submit: string; words: string }>> = {
  placed: {
    submit: 'It was placed',
    words: 'You have found the order at the service. Its ids are kept with it, if you have them.',
  },
  failed: {
    submit: 'It was not placed',
    words:
      'You have looked at the service, and it does not have the order. It counts as failed then, and is not sent again.',
  },
  again: {
    submit: 'Place it again',
    words:
      'You have looked at the service, and it does not have the order: if it does, the certificate is ordered twice. This order counts as failed then; a new one takes its place, with your approval.',
  },
}

export const resolveModal = (order: Order, finding: Finding): Modal => ({
  title: `Order ${order.number}`,
  form: { id: RESOLVE_FORM, submit: FOUND[finding].submit },
  about: { number: order.number, finding },
  blocks: [
    section(`${titleOf(order)}\n${FOUND[finding].words}`),
    ...(finding === 'placed'
      ? [
          textInput('order', 'Order id at the service', { optional: true, max: 255 }),
          textInput('certificate', 'Certificate id', { optional: true, max: 255 }),
        ]
      : []),
  ],
})

interface Found {
  id: string | undefined
  certificateId: string | undefined
}

export const resolveForm = ({
  service,
  show,
}: FormParts): Form<Found, { number: number; finding: Finding }> => ({
  id: RESOLVE_FORM,
  verb: '/cert-order resolve',
  needs: 'approver',
  working: 'Taking note of what you found…',
  read: readFound,
  async submit(ask, ids, { number, finding }) {
    if (finding === 'again') return show(ask, await service.again(ask, number))
    const by = ask.userId
    const outcome =
      finding === 'placed'
        ? { kind: 'placed' as const, placed: { ...ids, answer: '' }, by, note: LOOKED }
        : { kind: 'failed' as const, why: NOT_THERE, said: [], by }
    return show(ask, await service.resolve(ask, number, outcome))
  },
})

const LOOKED = 'Nobody knew at first whether it was placed; somebody found it at the service.'
const NOT_THERE =
  'Nobody knew at first whether it was placed; somebody looked, and the service does not have it.'

function readFound(answers: Answers): Found {
  const faults: Record<string, string> = {}
  const id = (field: string): string | undefined => {
    const typed = answers.text(field)
    if (typed && !/^[\x21-\x7e]{1,255}$/.test(typed)) faults[field] = 'This is one id without spaces.'
    return typed
  }
  const found = { id: id('order'), certificateId: id('certificate') }
  if (Object.keys(faults).length > 0) throw new FieldErrors(faults)
  return found
}
