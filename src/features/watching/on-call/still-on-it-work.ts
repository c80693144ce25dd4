import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { commandButton, type SlackClient, type Workspace, wasRejected } from '@signalman/slack'
import { notifyPerson, ownWords, type PostDeps } from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { pluralize } from '../../../domain/wording.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { stillOnItView } from './views/still-on-it.ts'

export interface StillOnItDeps {
  readonly watching: Pick<WatchStore, 'acknowledgments'>
  readonly getSlack: (workspace: Workspace) => Promise<Pick<SlackClient, 'readPerson'>>
  readonly posting: PostDeps
}

/** Asks people daily whether they are still on the outages that they acknowledged. */
export function createStillOnItWork({
  watching: { acknowledgments },
  getSlack,
  posting,
}: StillOnItDeps): WorkKind {
  return {
    kind: WATCH_WORK.stillOnIt,
    lane: 'send',
    async run(leased) {
      const { workspaceId, key = '' } = leased.work
      const [userId = '', cardId = ''] = key.split(' ')
      const acknowledged = await acknowledgments.findAcknowledged(workspaceId, { cardId }, userId)
      if (!acknowledged) return DONE
      const { channel, outages, onItMs } = acknowledged
      if (onItMs < DAY_MS) return repeatAfter(DAY_MS - onItMs)
      // Checked here too, because Signalman may have missed Slack's event.
      if (await hasLeft(await getSlack(channel), userId)) {
        await acknowledgments.removePerson(workspaceId, userId)
        return DONE
      }
      const end = await notifyPerson(posting, leased, {
        key: `still on it ${cardId} ${userId} ${Math.floor(onItMs / DAY_MS)}`,
        target: channel,
        version: 1,
        content: stillOnItView(channel, cardId, outages),
        ownWords: ownWords(
          `Are you still on ${pluralize(outages.length, 'outage')}? To see who is on which outage, use ${cmd('/hc')}.`,
          commandButton('Step down', `/hc watch-step-down ${cardId}`),
        ),
        to: userId,
        record: async () => undefined,
      })
      return end.state === 'done' ? repeatAfter(DAY_MS - (onItMs % DAY_MS)) : end
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
