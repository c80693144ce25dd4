import type { Delivery, Fields, HostPanel } from '@signalman/playground'
import { threatEventId } from '@signalman/sandbox/src/index.ts'

const GENERAL = 'C0GENERAL1'
/** The channel with the watch, and with the cards of orders for those who can approve them. */
export const OPERATIONS = 'C0OPERATNS'
const ADMIN = 'U0ADMIN001'

/**
 * `type` is a line that the person can type. `until` is the request that completes the step, or `person` for switching to another
 * person.
 */
interface Step {
  text: string
  type?: string
  until?: string
}

/** The steps that the demo suggests: what to type, and what to look at. */
export const STEPS: readonly Step[] = [
  {
    text: 'Two things happened here: somebody asked for a certificate, and a health check went down and comes up again. Approve ORDER with “Review and approve”.',
    until: 'view_submission',
  },
  { text: 'How things are. Some checks really go up and down by themselves:', type: '/hc' },
  { text: 'Only what is down:', type: '/hc list --status UNHEALTHY' },
  { text: 'A threat event on a card in which nothing can be clicked by accident:', type: threat(1) },
  { text: 'A threat event in which an attacker wrote every field:', type: threat(7) },
  { text: 'All orders:', type: '/cert-order list' },
  { text: 'What was down, and for how long:', type: '/hc history' },
  {
    text: 'A second check goes down in #operations. If nobody says “I’m on it”, @on-call is called in the thread of its card after a minute. What goes down in planned maintenance is not told:',
    type: '/hc maintenance',
  },
  {
    text: 'The menu (⋯) of Admin’s message in #general looks up the event that it names.',
    until: 'message_action',
  },
  { text: 'Switch to another person, at the bottom of the sidebar.', until: 'person' },
  { text: 'The Inspector shows every request and its answer.' },
  { text: 'Make something go wrong under Weather, above, and see what Signalman says.' },
  { text: 'Everything that you may do:', type: '/hc help' },
]

function threat(number: number): string {
  return `/threat ${threatEventId(number)}`
}

/** Messages from before the demo started. */
export const SAID = [
  {
    channel: GENERAL,
    user: ADMIN,
    text: `Somebody reported this: \`${threatEventId(2)}\`. Can you have a look?`,
  },
] as const

/** How a request appears in the steps: the typed line, or its kind. */
function asStep({ kind, request: { body } }: Delivery): string {
  if (kind !== 'command' || body === null || typeof body !== 'object' || Array.isArray(body)) return kind
  return `${body.command} ${body.text}`.trim()
}

export type Tour = HostPanel & {
  /** Requests from now on count; `order` is a link to the order. */
  begin(order: string): void
}

/** The panel with the steps. A step is checked off when its request arrives; others have a button. */
export function createTour(): Tour {
  const done = new Set<string>()
  let begun = ''
  let order = 'the order'
  let first: string | undefined
  const stepKey = ({ text, type, until }: Step): string => type ?? until ?? text
  const stepBlocks = (step: Step, index: number): Fields[] => {
    const { text, type, until } = step
    const isDone = done.has(stepKey(step))
    const label = type === undefined ? 'Done' : `Type ${type}`
    const button: Fields = {
      type: 'button',
      action_id: `step-${index}`,
      text: { type: 'plain_text', text: type ?? 'Done' },
      accessibility_label: label,
    }
    const words = `${isDone ? ':white_check_mark:' : `*${index + 1}.*`} ${text.replace('ORDER', order)}`
    return [
      { type: 'section', text: { type: 'mrkdwn', text: words } },
      ...(type !== undefined || (until === undefined && !isDone)
        ? [{ type: 'actions', elements: [button] }]
        : []),
    ]
  }
  return {
    name: 'Tour',
    firstAt: OPERATIONS,
    blocks(user, asked) {
      first ??= user
      if (user !== first) done.add('person')
      for (const one of asked) if (one.at >= begun) done.add(asStep(one))
      const said = `${STEPS.filter((step) => done.has(stepKey(step))).length} of ${STEPS.length} done`
      return [
        { type: 'header', text: { type: 'plain_text', text: 'What to try with Signalman' } },
        { type: 'context', elements: [{ type: 'plain_text', text: said }] },
        ...STEPS.flatMap(stepBlocks),
      ]
    },
    press(actionId) {
      const step = STEPS[Number(actionId.replace('step-', ''))]
      if (step?.type !== undefined) return { type: step.type }
      if (step) done.add(stepKey(step))
      return {}
    },
    begin(link) {
      begun = new Date().toISOString()
      order = link
    },
  }
}
