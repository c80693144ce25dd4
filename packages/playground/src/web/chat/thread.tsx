import { useEffect, useMemo } from 'react'
import { Icon } from '../icon.tsx'
import { usePage } from '../page.ts'
import { inThread } from '../state.ts'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'

/** The thread's messages; those that the page does not have yet are asked for. */
function useThread(channel: string, ts: string) {
  const { state, client, dispatch } = usePage()
  const all = state.snapshot.messages[channel]
  const messages = useMemo(() => inThread(all ?? [], ts), [all, ts])
  const parent = messages.find((one) => one.ts === ts)
  const isWhole = parent !== undefined && messages.length > parent.replyCount
  const { seq } = state.snapshot
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new snapshot may have left replies out
  useEffect(() => {
    if (isWhole) return
    void client.history({ channel, thread: ts }).then((page) => {
      if (page) dispatch({ type: 'thread-history', channel, messages: page.messages })
    })
  }, [client, dispatch, channel, ts, isWhole, seq])
  return messages
}

/** A thread beside its channel. */
export function Thread({ channel, ts }: { channel: string; ts: string }) {
  const { dispatch } = usePage()
  const messages = useThread(channel, ts)
  return (
    <aside className="panel" aria-label="Thread">
      <header className="bar">
        <h2>Thread</h2>
        <button
          type="button"
          className="button icon"
          aria-label="Close thread"
          onClick={() => dispatch({ type: 'thread', thread: null })}
        >
          <Icon name="close" />
        </button>
      </header>
      <MessageList key={ts} messages={messages} label="Replies" threads={false} />
      <Composer key={`${ts}-composer`} channel={channel} threadTs={ts} placeholder="Reply…" />
    </aside>
  )
}
