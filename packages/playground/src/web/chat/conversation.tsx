import { channelName, partnerOf, useDirectory } from '../directory.ts'
import { usePage } from '../page.ts'
import { topLevel } from '../state.ts'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'

/** A channel or a direct message: its messages, and the field to write in. */
export function Conversation({ id }: { id: string }) {
  const { state } = usePage()
  const directory = useDirectory()
  const channel = directory.channels.find((one) => one.id === id)
  const name = channelName(directory, id) ?? id
  const messages = topLevel(state.snapshot.messages[id] ?? [])
  const about = channel?.kind === 'dm' ? partnerOf(directory, channel)?.email : channel?.topic
  return (
    <>
      {messages.length === 0 && (
        <div className="empty">
          <h2>{name}</h2>
          <p>{about || 'Nothing has been said here yet.'}</p>
          <p>
            Type <kbd>/</kbd> to see the app’s commands.
          </p>
        </div>
      )}
      <MessageList key={id} messages={messages} label="Messages" threads />
      <Composer key={`${id}-composer`} channel={id} placeholder={`Message ${name}`} />
    </>
  )
}
