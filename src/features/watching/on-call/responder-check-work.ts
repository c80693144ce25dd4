import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { Reachability } from '../../../bot/access/reachable.ts'
import { notifyOwner, type OwnerNoticeDeps } from '../../../bot/posts/notify-owner.ts'
import { ownWords } from '../../../bot/posts/post-or-edit.ts'
import { cmd } from '../../../domain/command-names.ts'
import { findUnreachable } from '../reachable.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'
import { unreachableView } from './views/unreachable.ts'

interface ResponderCheckDeps {
  readonly watching: Pick<WatchStore, 'watches'>
  readonly reachability: Pick<Reachability, 'explainPerson' | 'explainGroup'>
  readonly posting: OwnerNoticeDeps
}

/** Checks daily whether Slack can notify everyone that a watch pages, and notifies the owner, or else an admin, of new problems. */
export function createResponderCheckWork({
  watching: { watches },
  reachability,
  posting,
}: ResponderCheckDeps): WorkKind {
  return {
    kind: WATCH_WORK.checkResponders,
    lane: 'send',
    async run(leased) {
      const { workspaceId, key = '' } = leased.work
      const watch = await watches.find(workspaceId, key)
      if (!watch?.escalation) return DONE
      const origin = { ...watch, ownerIds: [watch.ownerId] }
      const found = await findUnreachable(reachability, origin, watch.escalation)
      const unreachable = found.map(({ text }) => text)
      const previous = watch.unreachable ?? []
      const save = () => watches.setUnreachable(workspaceId, watch.id, unreachable)
      if (unreachable.every((problem) => previous.includes(problem))) {
        if (unreachable.length < previous.length) await save()
        return repeatAfter(DAY_MS)
      }
      const end = await notifyOwner(posting, leased, {
        key: `unreachable ${watch.id} ${unreachable.join()}`,
        target: watch,
        version: 1,
        content: unreachableView(watch, unreachable),
        ownWords: ownWords(
          `A watch of yours can’t page everyone it should. To see it, use ${cmd('/hc watches')} --all.`,
        ),
        ownerId: watch.ownerId,
        record: save,
      })
      return end.state === 'done' ? repeatAfter(DAY_MS) : end
    },
  }
}
