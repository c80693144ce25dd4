import { WATCH_WORK, type WatchStore, type WorkEnd } from '../store/store.ts'
import type { WorkKind } from '../work/engine.ts'
import { anewAfter, DONE } from '../work/work-ends.ts'

const laterOrDone = (dueInMs: number | undefined): WorkEnd =>
  dueInMs === undefined ? DONE : anewAfter(dueInMs)

/** Work that is due by itself: a channel's reminders and ends of flapping, and the ends of mutes. */
export function dueWork({ due }: Pick<WatchStore, 'due'>, wake: () => void): WorkKind[] {
  return [
    {
      kind: WATCH_WORK.due,
      lane: 'tell',
      async run({ work }) {
        const nextMs = await due.cards(work.workspaceId, work.key ?? '')
        wake()
        return laterOrDone(nextMs)
      },
    },
    {
      kind: WATCH_WORK.muteEnd,
      lane: 'tell',
      async run({ work }) {
        const nextMs = await due.muteEnd(work.workspaceId, work.key ?? '')
        wake()
        return laterOrDone(nextMs)
      },
    },
  ]
}
