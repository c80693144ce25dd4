import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { commandButton, type SlackClient, type Workspace, wasRejected } from '@signalman/slack'
import { notifyPerson, ownWords, type PostDeps } from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { stillOnItView } from './views/still-on-it.ts'

interface StillOnItDeps {
  readonly watching: Pick<WatchStore, 'acknowledgments' | 'watches'>
  readonly getSlack: (workspace: Workspace) => Promise<Pick<SlackClient, 'readPerson'>>
  readonly posting: PostDeps
}

/** Asks people daily, in one message for everything, whether they are still on it. */
export function createStillOnItWork({
  watching: { acknowledgments, watches },
  getSlack,
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
      const target = { ...scope, enterpriseId: watch?.enterpriseId, channelId: userId }
      // Checked here too, because Signalman may have missed Slack's event.
      if (await hasLeft(await getSlack(target), userId)) {
        await acknowledgments.removePerson(workspaceId, userId)
        return DONE
      }
      const ids = incidents.map(({ id }) => id)
      const end = await notifyPerson(posting, leased, {
        key: `still on it ${environment} ${userId} ${Math.floor(now.clockMs / DAY_MS)}`,
        target,
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

async function hasLeft(slack: Pick<SlackClient, 'readPerson'>, userId: string): Promise<boolean> {
  try {
    return (await slack.readPerson(userId)).isDeactivated
  } catch (error) {
    // The app isn't allowed to look this person up.
    if (wasRejected(error)) return false
    throw error
  }
}
