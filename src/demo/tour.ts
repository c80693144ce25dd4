import type { Delivery, Fields, HostPanel } from '@signalman/playground'
import { threatEventId } from '@signalman/sandbox/src/index.ts'

const GENERAL = 'C0GENERAL1'
/** The channel that watches the checks, and where approvers get the cards of orders. */
export const OPERATIONS = 'C0OPERATNS'
const ADMIN = 'U0ADMIN001'

interface Step {
  text: string
  /** The line to type. Sending it completes the step. */
  line?: string
  /** The kind of request that completes the step, or `person` for switching to another person. */
  completedBy?: string
}

/** The steps that the demo suggests. */
export const STEPS: readonly Step[] = [
  {
    text: 'Two things happened here: someone requested a certificate, and a health check went down and will recover soon. Approve ORDER with “Review and approve”.',
    completedBy: 'view_submission',
  },
  { text: 'See the status of your health checks. Some of them keep going up and down:', line: '/hc' },
  { text: 'List the checks that are down:', line: '/hc list --status UNHEALTHY' },
  { text: 'Show a threat event. Nothing on its card is a clickable link:', line: threatLine(1) },
  { text: 'Show a threat event whose fields all contain an attacker’s text:', line: threatLine(7) },
  { text: 'List all orders:', line: '/cert-order list' },
  { text: 'See which checks were down, and for how long:', line: '/hc history' },
  {
    text: 'A second check goes down soon. If nobody presses “I’m on it” on its card in #operations, Signalman mentions @on-call in the thread after a minute. A third check is in maintenance, so its outage isn’t reported. See its maintenance window:',
    line: '/hc maintenance',
  },
  {
    text: 'Open the menu (⋯) of Admin’s message in #general to look up the event that it names.',
    completedBy: 'message_action',
  },
  { text: 'Switch to another person, at the bottom of the sidebar.', completedBy: 'person' },
  { text: 'Open the Inspector to see every request and its response.' },
  {
    text: 'Open the Faults panel (its button is above), make something go wrong, and see what Signalman says.',
  },
  { text: 'See everything that you can do:', line: '/hc help' },
]

function threatLine(number: number): string {
  return `/threat ${threatEventId(number)}`
}

/** Messages from before the demo started. */
export const EARLIER_MESSAGES = [
  {
    channel: GENERAL,
    user: ADMIN,
    text: `Someone reported this: \`${threatEventId(2)}\`. Can you have a look?`,
  },
] as const

/** The key of the step that a request completes: the typed command or, for other requests, their kind. See `stepKey`. */
function requestKey({ kind, request: { body } }: Delivery): string {
  if (kind !== 'command' || body === null || typeof body !== 'object' || Array.isArray(body)) return kind
  return `${body.command} ${body.text}`.trim()
}

export type Tour = HostPanel & {
  /** Starts the tour: from now on, requests complete steps, and the first step links to the order. */
  start(orderLink: string): void
}

/** The panel with the steps. A request completes its step. Steps without a request have a Done button. */
export function createTour(): Tour {
  const done = new Set<string>()
  let startedAt = ''
  let orderLink = 'the order'
  let firstUser: string | undefined
  const stepKey = ({ text, line, completedBy }: Step): string => line ?? completedBy ?? text
  const stepBlocks = (step: Step, index: number): Fields[] => {
    const { text, line, completedBy } = step
    const isDone = done.has(stepKey(step))
    const label = line === undefined ? 'Done' : `Type ${line}`
    const button: Fields = {
      type: 'button',
      action_id: `step-${index}`,
      text: { type: 'plain_text', text: line ?? 'Done' },
      accessibility_label: label,
    }
    const markdown = `${isDone ? ':white_check_mark:' : `*${index + 1}.*`} ${text.replace('ORDER', orderLink)}`
    return [
      { type: 'section', text: { type: 'mrkdwn', text: markdown } },
      ...(line !== undefined || (completedBy === undefined && !isDone)
        ? [{ type: 'actions', elements: [button] }]
        : []),
    ]
  }
  return {
    name: 'Tour',
    firstVisitChannel: OPERATIONS,
    blocks(user, requests) {
      firstUser ??= user
      if (user !== firstUser) done.add('person')
      for (const request of requests) if (request.at >= startedAt) done.add(requestKey(request))
      const progress = `${STEPS.filter((step) => done.has(stepKey(step))).length} of ${STEPS.length} done`
      return [
        { type: 'header', text: { type: 'plain_text', text: 'What to try with Signalman' } },
        { type: 'context', elements: [{ type: 'plain_text', text: progress }] },
        ...STEPS.flatMap(stepBlocks),
      ]
    },
    press(actionId) {
      const step = STEPS[Number(actionId.replace('step-', ''))]
      if (step?.line !== undefined) return { draft: step.line }
      if (step) done.add(stepKey(step))
      return {}
    },
    start(link) {
      startedAt = new Date().toISOString()
      orderLink = link
    },
  }
}
