import { FieldErrors } from '@signalman/runtime'
import { type Answers, section, textInput } from '@signalman/slack'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { mayBeUnderWay } from '../lifecycle.ts'
import { type Order, titleOf } from '../order.ts'
import type { FormParts } from './order.ts'
import { leaksIn } from './read-order.ts'
import { LONGEST_REASON } from './reject.ts'

const RESOLVE_FORM = 'cert-orders.resolve'

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

const SILENT =
  'Nothing was heard of the process that sent it, so its request may still reach the service. Approvers and the requester read what you write.'

export const resolveModal = (order: Order, finding: Finding): Modal => {
  const isLocked = finding !== 'placed' && mayBeUnderWay(order)
  return {
    title: `Order ${order.number}`,
    form: { id: RESOLVE_FORM, submit: FOUND[finding].submit },
    about: { number: order.number, finding, isLocked },
    blocks: [
      section(`${titleOf(order)}\n${FOUND[finding].words}`),
      ...(isLocked
        ? [
            section(SILENT),
            textInput('how', 'How do you know that nothing is under way?', {
              multiline: true,
              max: LONGEST_REASON,
              placeholder: 'The machine that sent it was switched off, and support sees no order.',
            }),
          ]
        : []),
      ...(finding === 'placed'
        ? [
            textInput('order', 'Order id at the service', { optional: true, max: 255 }),
            textInput('certificate', 'Certificate id', { optional: true, max: 255 }),
          ]
        : []),
    ],
  }
}

interface Found {
  id: string | undefined
  certificateId: string | undefined
  how: string | undefined
}

interface ResolveAbout {
  number: number
  finding: Finding
  /** True when the window asks how they know. */
  isLocked: boolean
}

export const resolveForm = ({ service, show }: FormParts): Form<Found, ResolveAbout> => ({
  id: RESOLVE_FORM,
  verb: '/cert-order resolve',
  needs: 'approver',
  working: 'Taking note of what you found…',
  read: readFound,
  async submit(context, { how, ...ids }, { number, finding, isLocked }) {
    if (isLocked && !how)
      throw new FieldErrors({ how: 'Say how you know: what you write is all there is to go by.' })
    if (finding === 'again') return show(context, await service.again(context, number, how))
    const by = context.userId
    const outcome =
      finding === 'placed'
        ? { kind: 'placed' as const, placed: { ...ids, answer: '' }, by, note: LOOKED }
        : { kind: 'failed' as const, why: NOT_THERE, said: [], by, ...(how && { how }) }
    return show(context, await service.resolve(context, number, outcome))
  },
})

const LOOKED = 'Nobody knew at first whether it was placed; somebody found it at the service.'
const NOT_THERE =
  'Nobody knew at first whether it was placed; somebody looked, and the service does not have it.'

function readFound(answers: Answers): Found {
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
