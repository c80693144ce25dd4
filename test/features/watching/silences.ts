import type { NewSilence } from '../../../src/features/watching/rules/silence.ts'

type Given = Pick<NewSilence, 'channelId' | 'from'> & Partial<NewSilence>

/** By default, a mute of everything in production. */
export const silenceFrom = (given: Given): NewSilence => ({
  kind: 'mute',
  workspaceId: 'T1',
  environment: 'production',
  planId: 'plan',
  about: { kind: 'all' },
  timeZone: 'UTC',
  because: '',
  ownerId: 'U1',
  ownerName: 'Ann',
  madeAt: given.from,
  ...given,
})
