import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { commandButton } from '@signalman/slack'
import type { Reachability } from '../../../bot/access/reachable.ts'
import { notifyPerson, ownWords, type PostDeps } from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { stillOnItView } from './views/still-on-it.ts'

interface StillOnItDeps {
  readonly watching: Pick<WatchStore, 'acknowledgments' | 'watches'>
  readonly reachability: Pick<Reachability, 'explainPerson'>
  readonly posting: PostDeps
}

/** Asks people daily, in one message for everything, whether they are still on it. */
export function createStillOnItWork({
  watching: { acknowledgments, watches },
  reachability,
  posting,
}: StillOnItDeps): WorkKind {
  return {
    kind: WATCH_WORK.stillOnIt,
    lane: 'send',
    async run(leased) {
      const { workspaceId, key = '' } = leased.work
      const [userId = '', environmentName] = key.split(' ')
      const environment = ENVIRONMENTS.find((one) => one === environmentName)
      if (!environment) return DONE
      const scope = { workspaceId, environment }
      const question = await acknowledgments.findQuestion(scope, userId)
      if (!question) return DONE
      const { incidents, waitMs, now } = question
      if (waitMs > 0) return repeatAfter(waitMs)
      const [watch] = await watches.list(workspaceId, { environment })
      const workspace = { ...scope, enterpriseId: watch?.enterpriseId }
      // They have left or become a guest. Checked here too, because Signalman may have missed Slack's event.
      if ((await reachability.explainPerson(workspace, userId)) !== undefined) {
        await acknowledgments.removePerson(workspaceId, userId)
        return DONE
      }
      const ids = incidents.map(({ id }) => id)
      const end = await notifyPerson(posting, leased, {
        key: `still on it ${environment} ${userId} ${Math.floor(now.clockMs / DAY_MS)}`,
        target: { ...workspace, channelId: userId },
        version: 1,
        content: stillOnItView(environment, incidents),
        ownWords: ownWords(
          `Are you still on ${pluralize(incidents.length, 'outage')}? To see who is on which outage, use ${cmd('/hc')}.`,
          commandButton('Step down', `/hc watch-step-down ${environment}`),
        ),
        to: userId,
        record: () => acknowledgments.markAsked(scope, userId, ids, now),
      })
      return end.state === 'done' ? repeatAfter(DAY_MS) : end
    },
  }
}
