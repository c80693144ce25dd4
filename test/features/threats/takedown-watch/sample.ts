import { takedownCheckName, UNSEEN } from '../../../../src/domain/takedown-watch.ts'
import { safeDomain } from '../../../../src/features/threats/defang.ts'
import type { TakedownWatch } from '../../../../src/store/store.ts'
import { ANN, ID, NOW } from '../cases/sample.ts'

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
  by: { ...ANN, name: text },
  madeAt: new Date(NOW.getTime() - 90 * 60_000),
  state: UNSEEN,
  newsSent: 0,
  news: [],
})
