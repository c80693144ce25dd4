import type { PostParts } from '../../../../src/bot/posts/kept-messages.ts'
import type { PostOnce } from '../../../../src/bot/posts/post-once.ts'
import type { Poster } from '../../../../src/bot/posts/poster.ts'
import { takedownCheckName } from '../../../../src/domain/takedown-checks.ts'
import { safeDomain } from '../../../../src/features/threats/defang.ts'
import type { TakedownWatch } from '../../../../src/features/threats/rows/takedown-watches.ts'
import { UNSEEN } from '../../../../src/features/threats/takedown-watch/rules.ts'
import { ID, NOW } from '../cases/sample.ts'

/** A watch on a domain and by somebody of that name. */
export const sampleWatch = (text: string): TakedownWatch => ({
  id: 'watch',
  workspaceId: 'T1',
  enterpriseId: undefined,
  environment: 'production',
  eventId: ID,
  checkUuid: 'c1',
  checkName: takedownCheckName(safeDomain(text, 100), ID),
  target: text,
  madeAt: new Date(NOW.getTime() - 90 * 60_000),
  state: UNSEEN,
  newsSent: 0,
  news: [],
})

const nowhere = () => Promise.reject(new Error('A case that stands in no channel has no message in one.'))

/** Slack in which a person can be told, and nothing else. */
export const postingParts = (direct: Poster['direct'], postOnce: PostOnce): Omit<PostParts, 'steps'> => ({
  poster: {
    direct,
    findDirect: async () => undefined,
    post: nowhere,
    reply: nowhere,
    edit: nowhere,
    find: nowhere,
  },
  postOnce,
  mayPost: nowhere,
  report: () => undefined,
})
