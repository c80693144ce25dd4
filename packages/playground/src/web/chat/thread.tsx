import { useEffect, useMemo } from 'react'
import { usePage } from '../page.ts'
import { Panel } from '../panel.tsx'
import { threadMessages } from '../state.ts'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'

/** Returns the thread's messages, and loads those that the page doesn't have yet. */
function useThread(channel: string, ts: string) {
  const { state, client, dispatch } = usePage()
  const loadedMessages = state.snapshot.messages[channel]
  const messages = useMemo(() => threadMessages(loadedMessages ?? [], ts), [loadedMessages, ts])
  const parent = messages.find((message) => message.ts === ts)
  const isComplete = parent !== undefined && messages.length > parent.replyCount
  const { seq } = state.snapshot
  // biome-ignore lint/correctness/useExhaustiveDependencies: `seq` is a dependency because a new snapshot may lack replies
  useEffect(() => {
    if (isComplete) return
    void client.history({ channel, thread: ts }).then((page) => {
      if (page) dispatch({ type: 'thread-history', channel, messages: page.messages })
    })
  }, [client, dispatch, channel, ts, isComplete, seq])
  return messages
}

/** A thread next to its channel. */
export function Thread({ channel, ts }: { channel: string; ts: string }) {
  const { dispatch } = usePage()
  const messages = useThread(channel, ts)
  return (
    <Panel
      title="Thread"
      closeLabel="Close thread"
      onClose={() => dispatch({ type: 'thread', thread: null })}
    >
      <MessageList key={ts} messages={messages} label="Replies" showReplies={false} />
      <Composer key={`${ts}-composer`} channel={channel} threadTs={ts} placeholder="Reply…" />
    </Panel>
  )
}
