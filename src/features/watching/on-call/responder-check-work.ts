import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { Workspace } from '@signalman/slack'
import { notifyPerson, type PostDeps } from '../../../bot/posts/post-or-edit.ts'
import { findUnreachable, type SlackPeople } from '../reachable.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { unreachableView } from './views/unreachable.ts'

export interface PeopleDeps {
  readonly watching: Pick<WatchStore, 'watches'>
  readonly slackOf: (workspace: Workspace) => Promise<SlackPeople>
  readonly keeping: PostDeps
}

/** Checks daily whether Slack can notify everyone a watch pages, and notifies the owner when that changes. */
export function createPeopleWork({ watching: { watches }, slackOf, keeping }: PeopleDeps): WorkKind {
  return {
    kind: WATCH_WORK.people,
    lane: 'send',
    async run(held) {
      const { workspaceId, key = '' } = held.work
      const watch = await watches.find(workspaceId, key)
      if (!watch?.escalation) return DONE
      const slack = await slackOf(watch)
      const unreachable = await findUnreachable(slack, watch, watch.escalation)
      const previous = watch.unreachable ?? []
      const save = () => watches.setUnreachable(workspaceId, watch.id, unreachable)
      if (unreachable.every((one) => previous.includes(one))) {
        if (unreachable.length < previous.length) await save()
        return repeatAfter(DAY_MS)
      }
      const end = await notifyPerson(keeping, held, {
        key: `unreachable ${watch.id} ${unreachable.join()}`,
        place: watch,
        version: 1,
        drawn: unreachableView(watch, unreachable),
        to: watch.ownerId,
        record: save,
      })
      return end.state === 'done' ? repeatAfter(DAY_MS) : end
    },
  }
}
