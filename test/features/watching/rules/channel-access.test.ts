import { expect, it } from 'vitest'
import type { PostPermission } from '../../../../src/bot/routes/command-context.ts'
import {
  type ChannelAccess,
  decidePermission,
} from '../../../../src/features/watching/rules/channel-access.ts'

const BEFORE = new Date('2026-11-28T09:00Z')
const ASKED = { at: new Date('2026-11-28T10:00Z'), now: new Date('2026-11-28T10:05Z') }
const AFTER = new Date('2026-11-28T10:01Z')
const REFUSED = [
  ...(['archived', 'not-in-channel', 'refused'] as const),
  ...(['shared-outside', 'readers-unknown', 'guests', 'maybe-guests'] as const),
] as const satisfies readonly Exclude<PostPermission, 'yes'>[]
const PERMISSIONS: readonly PostPermission[] = ['yes', ...REFUSED]

/** Each way in which a channel may be paused and agreed to. */
const ACCESSES: readonly ChannelAccess[] = [undefined, BEFORE].flatMap((agreedOutsideAt) => [
  { agreedOutsideAt },
  ...REFUSED.flatMap((reason) => [BEFORE, AFTER].map((at) => ({ agreedOutsideAt, paused: { at, reason } }))),
])

it('counts a pause by another machine, whose clock may be ahead, and none from before a clock was set back', () => {
  const isOpen = (aheadMs: number) => {
    const paused = { at: new Date(ASKED.now.getTime() + aheadMs), reason: 'shared-outside' as const }
    return decidePermission({ paused }, { permission: 'yes', asked: ASKED }) === 'yes'
  }
  expect([-1, 0, 59_000, 61_000, 86_400_000].map(isOpen)).toEqual([false, false, false, true, true])
})

it.each(PERMISSIONS)(
  'lets an agreement stand against another organization only: Slack says %s',
  (permission) => {
    for (const access of ACCESSES) {
      const { agreedOutsideAt, paused } = access
      const isOpen =
        permission === 'yes' || (permission === 'shared-outside' && agreedOutsideAt !== undefined)
      const isShared = paused?.reason === 'shared-outside'
      const about = JSON.stringify(access)
      expect(decidePermission(access, { permission }) === 'yes', about).toBe(isOpen && !isShared)
      // A person has asked Slack: that counts if the channel didn't become shared since.
      const isAsked = isOpen && !(isShared && paused?.at === AFTER)
      expect(decidePermission(access, { permission, asked: ASKED }) === 'yes', about).toBe(isAsked)
    }
  },
)
