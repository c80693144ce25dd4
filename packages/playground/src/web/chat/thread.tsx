import { Icon } from '../icon.tsx'
import { usePage } from '../page.ts'
import { inThread } from '../state.ts'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'

/** A thread beside its channel. */
export function Thread({ channel, ts }: { channel: string; ts: string }) {
  const { state, dispatch } = usePage()
  const messages = inThread(state.snapshot.messages[channel] ?? [], ts)
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
