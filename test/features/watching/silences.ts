import type { NewSilence } from '../../../src/features/watching/rules/silence.ts'

type SilenceOptions = Pick<NewSilence, 'channelId' | 'from'> & Partial<NewSilence>

/** Creates a silence: by default, a mute of everything in production. */
export const createSilence = (options: SilenceOptions): NewSilence => ({
  kind: 'mute',
  workspaceId: 'T1',
  environment: 'production',
  planId: 'plan',
  subject: { kind: 'all' },
  timeZone: 'UTC',
  reason: '',
  ownerId: 'U1',
  ownerName: 'Ann',
  madeAt: options.from,
  ...options,
})
