import { describe, expect, it } from 'vitest'
import { shareOrder } from './order-helpers.ts'

const share = shareOrder()

/**
 * What an approver wants, and types without having read anything; what the answer says, or the line of its button; and what a press of
 * that button shows.
 */
const TASKS: readonly [want: string, typed: string, button: string | undefined, shows: string][] = [
  ['see what waits for them', 'pending', '/cert-order list pending', '🟡 Order 1: shop.example.com'],
  ['see everything', 'list all', undefined, '🟡 Order 1: shop.example.com'],
  ['decide on the only order', 'approve', undefined, 'If you approve, it’s sent once'],
  ['decide by name', 'approve shop.example.com', undefined, 'If you approve, it’s sent once'],
  ['say yes', 'accept 1', '/cert-order approve 1', 'If you approve, it’s sent once'],
  ['say yes politely', 'approve 1 please', '/cert-order approve 1', 'If you approve, it’s sent once'],
  ['say no, and why', 'reject 1 wrong domain', undefined, 'Nothing will be ordered'],
  ['say no in another word', 'deny 1', '/cert-order reject 1', 'Reject'],
  ['look at an order', 'details 1', '/cert-order show 1', 'Approve order 1?'],
  ['look at it by its number alone', '#1', undefined, 'Approve order 1?'],
  [
    'find the orders of a name',
    'history of shop.example.com',
    '/cert-order list shop.example.com',
    '🟡 Order 1: shop.example.com',
  ],
  ['keep a copy', 'download 1', '/cert-order show 1', 'All as a file'],
  ['pass it on', 'assign 1 @member', '/hc access', 'approver'],
  ['know who else can', 'who can approve', '/hc access', 'approver'],
  ['know who else can, in one word', 'approvers', '/hc access', 'approver'],
  ['see what is left to do', 'todo', '/cert-order list pending', '🟡 Order 1: shop.example.com'],
  ['see what waits', 'approvals', '/cert-order list pending', '🟡 Order 1: shop.example.com'],
  [
    'say no, with the reason in quotes',
    'decline 1 "wrong names"',
    '/cert-order reject 1 wrong names',
    'Reject',
  ],
  ['change where requests are posted', 'channel #certs', '/cert-order settings', 'Approvals channel'],
  ['change what may be ordered', 'domains', '/cert-order settings', 'Allowed domains'],
  ['find an order that isn’t there', 'show shopping', 'List without it', '🟡 Order 1: shop.example.com'],
]

describe('an approver who has read nothing', () => {
  it.each(TASKS)(
    'gets there in two steps at most, to %s: /cert-order %s',
    async (_, typed, button, shows) => {
      const { admin } = (await share()).slack
      const answer = await admin.command('/cert-order', typed, {
        until: ({ text }) => text.includes(button ?? shows),
      })
      if (button === undefined) return
      const reached = await admin.click(answer.message, button, { until: ({ text }) => text.includes(shows) })
      expect(reached.text).toContain(shows)
    },
  )
})
