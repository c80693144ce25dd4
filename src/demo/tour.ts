import type { Tour } from '@signalman/playground'
import { threatEventId } from '@signalman/sandbox'

const GENERAL = 'C0GENERAL1'
/** What is watched, and where orders are shown to those who can approve them. */
export const OPERATIONS = 'C0OPERATNS'
const ADMIN = 'U0ADMIN001'

/** What whoever opens the demo is shown first: what to type, and what to look at. */
export const TOUR: Tour = {
  title: 'What to try with Signalman',
  channel: OPERATIONS,
  steps: [
    {
      text: 'Two things happened here: somebody asked for a certificate, and a health check went down and comes up again. Approve the order with “Review and approve”.',
      until: 'view_submission',
    },
    { text: 'How things are. Some checks really go up and down by themselves:', type: '/hc' },
    { text: 'Only what is down:', type: '/hc list --status UNHEALTHY' },
    { text: 'A threat event on a card in which nothing can be clicked by accident:', type: threat(1) },
    { text: 'One whose every field was written by an attacker:', type: threat(7) },
    { text: 'All orders:', type: '/cert-order list' },
    { text: 'What was down, and for how long:', type: '/hc history' },
    {
      text: 'A second check falls in #operations, and nobody says “I’m on it”: after a minute @on-call is called in the thread of its card. What falls during planned maintenance is not told:',
      type: '/hc maintenance',
    },
    {
      text: 'The menu (⋯) of Admin’s message in #general looks up the event that it names.',
      until: 'message_action',
    },
    { text: 'Be somebody else, at the foot of the side bar.', until: 'person' },
    { text: 'The Inspector shows every request and its answer.', until: 'inspector' },
    { text: 'Make something go wrong (Weather, above), and see what Signalman says.', until: 'weather' },
    { text: 'Everything that you may do:', type: '/hc help' },
  ],
}

function threat(number: number): string {
  return `/threat ${threatEventId(number)}`
}

/** What has been said before the demo begins. */
export const SAID = [
  {
    channel: GENERAL,
    user: ADMIN,
    text: `Somebody reported this: \`${threatEventId(2)}\`. Can you have a look?`,
  },
] as const
