import { FieldErrors } from '@signalman/runtime'
import { type Answers, lines, oneLine, section, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { mayBeUnderWay, neededApprovals } from '../lifecycle.ts'
import type { Order } from '../order.ts'
import type { Shown } from '../shown-order.ts'
import { nameIn } from '../views/facts.ts'
import { orderBlocks } from '../views/messages.ts'
import { answerLine, orderName } from '../views/words.ts'
import type { FormParts } from './order.ts'
import { leaksIn } from './read-order.ts'

const LONGEST_REASON = 1000

/** Approves exactly the body that the window showed. */
export const approveForm = form({
  id: 'cert-orders.approve',
  title: 'Approve order',
  button: 'Approve',
  verb: '/cert-order approve',
  needs: 'approver',
  working: 'Approving… The result will appear here.',
  /** `approved` is the order as this approval would make it. */
  asks(_, order: Order, approved: Order, shown: Shown) {
    const { number, bodyHash: hash } = order
    const what = [...lostApprovals(order, approved, shown), whatItDoes(approved, shown)].join('\n')
    return {
      title: `Approve order ${number}`,
      about: { number, hash },
      blocks: [
        lines(answerLine(order, shown.policy, shown.people, { decides: true }), what),
        orderBlocks(order, shown),
      ],
    }
  },
  submit: async (context, _, { number, hash }: { number: number; hash: string }, parts: FormParts) =>
    parts.show(context, await parts.service.approve(context, number, hash)),
})

function whatItDoes({ state, content }: Order, { policy }: Shown): string {
  if (state === 'submitting')
    return 'With your approval the order is sent at once. It is sent once and never repeated by itself.'
  const { length } = content.approvals
  const needed = neededApprovals(content, policy)
  return `With your approval the order has ${length} of ${needed} approvals and waits for ${needed - length} more.`
}

/** Earlier approvals that stand on the order and do not count, under the rules and with the roles of now. */
function lostApprovals(order: Order, approved: Order, { people }: Shown): string[] {
  const counted = new Set(approved.content.approvals.map(({ by }) => by))
  const lost = order.content.approvals.filter(({ by }) => !counted.has(by))
  if (lost.length === 0) return []
  const names = lost.map(({ by }) => oneLine(nameIn(people, by))).join(', ')
  return [`Earlier approvals by people who may not approve this order any more do not count: ${names}.`]
}

export const rejectForm = form({
  id: 'cert-orders.reject',
  title: 'Reject order',
  button: 'Reject',
  verb: '/cert-order reject',
  needs: 'approver',
  working: 'Rejecting…',
  asks: (_, order: Order) => ({
    title: `Reject order ${order.number}`,
    about: { number: order.number },
    blocks: [
      section(`${orderName(order)}\nNothing will be ordered. The requester will read your reason.`),
      textInput('reason', 'Reason', { multiline: true, max: LONGEST_REASON }),
    ],
  }),
  read(answers) {
    const leaks = leaksIn(answers, ['reason'])
    if (leaks.reason) throw new FieldErrors(leaks)
    const reason = answers.text('reason')
    if (!reason) throw new FieldErrors({ reason: 'Say why: this is all that the requester will read.' })
    return reason
  },
  submit: async (context, reason, { number }: { number: number }, { show, service }: FormParts) =>
    show(context, await service.reject(context, number, reason)),
})

/** What somebody found out about an order of unknown outcome. */
export const FINDINGS = ['placed', 'failed', 'again'] as const
type Finding = (typeof FINDINGS)[number]

const FOUND: Readonly<Record<Finding, { button: string; words: string }>> = {
  placed: {
    button: 'It was placed',
    words: 'You found the order at the service. Enter its ids if you have them.',
  },
  failed: {
    button: 'It was not placed',
    words:
      'You looked at the service, and the order is not there. It then counts as failed and is not sent again.',
  },
  again: {
    button: 'Place it again',
    words:
      'You looked at the service, and the order is not there. If it is there after all, the certificate is ordered twice. This order then counts as failed, and a new one with your approval replaces it.',
  },
}

const SILENT =
  'The process that sent it has not been heard from, so its request may still reach the service. Approvers and the requester read what you write.'

interface ResolveAbout {
  number: number
  finding: Finding
  /** True when the window asks how they know. */
  isLocked: boolean
}

export const resolveForm = form({
  id: 'cert-orders.resolve',
  title: 'Order',
  button: 'Save',
  verb: '/cert-order resolve',
  needs: 'approver',
  working: 'Taking note of what you found…',
  asks(_, order: Order, finding: Finding) {
    const { button, words } = FOUND[finding]
    const isLocked = finding !== 'placed' && mayBeUnderWay(order)
    return {
      title: `Order ${order.number}`,
      button,
      about: { number: order.number, finding, isLocked },
      blocks: [
        section(`${orderName(order)}\n${words}`),
        isLocked ? [section(SILENT), HOW] : [],
        finding === 'placed' ? IDS : [],
      ],
    }
  },
  read: readFound,
  async submit(context, { how, ...ids }, { number, finding, isLocked }: ResolveAbout, parts: FormParts) {
    const { service, show } = parts
    if (isLocked && !how) throw new FieldErrors({ how: 'Say how you know: nothing else is on record.' })
    if (finding === 'again') {
      const { order, notSentBecause } = await service.again(context, number, how)
      return show(context, order, notSentBecause)
    }
    const by = context.userId
    const outcome =
      finding === 'placed'
        ? { kind: 'placed' as const, placed: { ...ids, answer: '' }, by, note: LOOKED }
        : { kind: 'failed' as const, why: NOT_THERE, said: [], by, ...(how && { how }) }
    return show(context, await service.resolve(context, number, outcome))
  },
})

const HOW = textInput('how', 'How do you know that nothing is under way?', {
  multiline: true,
  max: LONGEST_REASON,
  placeholder: 'The machine that sent it was switched off, and support sees no order.',
})
const IDS = [
  textInput('order', 'Order id at the service', { optional: true, max: 255 }),
  textInput('certificate', 'Certificate id', { optional: true, max: 255 }),
]
const LOOKED = 'At first nobody knew whether it was placed. Then somebody found it at the service.'
const NOT_THERE =
  'At first nobody knew whether it was placed. Then somebody looked, and the service does not have it.'

function readFound(answers: Answers) {
  const faults = leaksIn(answers, ['order', 'certificate', 'how'])
  const id = (field: string): string | undefined => {
    const typed = answers.text(field)
    if (typed && !faults[field] && !/^[\x21-\x7e]{1,255}$/.test(typed))
      faults[field] = 'This is one id without spaces.'
    return typed
  }
  const found = { id: id('order'), certificateId: id('certificate'), how: answers.text('how') }
  if (Object.keys(faults).length > 0) throw new FieldErrors(faults)
  return found
}
