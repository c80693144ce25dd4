import { useMemo } from 'react'
import { usePage } from '../page.ts'
import { Panel } from '../panel.tsx'
import { threadMessages } from '../state.ts'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'

/** A thread next to its channel. */
export function Thread({ channel, ts }: { channel: string; ts: string }) {
  const { state, dispatch } = usePage()
  const loadedMessages = state.snapshot.messages[channel]
  const messages = useMemo(() => threadMessages(loadedMessages ?? [], ts), [loadedMessages, ts])
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
