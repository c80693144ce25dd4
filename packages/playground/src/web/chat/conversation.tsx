// This folder: messages, threads, and the message field.

import { useMemo } from 'react'
import { channelName, useDirectory } from '../directory.ts'
import { usePage } from '../page.ts'
import { channelMessages } from '../state.ts'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'

/** A channel or a direct message: its messages and the message field. */
export function Conversation({ id }: { id: string }) {
  const { state } = usePage()
  const directory = useDirectory()
  const channel = directory.channels.find((candidate) => candidate.id === id)
  const name = channelName(directory, id) ?? id
  const loadedMessages = state.snapshot.messages[id]
  const messages = useMemo(() => channelMessages(loadedMessages ?? []), [loadedMessages])
  return (
    <>
      {messages.length === 0 && (
        <div className="empty">
          <h2>{name}</h2>
          <p>{channel?.topic || 'No messages yet.'}</p>
          <p>
            Type <kbd>/</kbd> to see the app’s commands.
          </p>
        </div>
      )}
      <MessageList key={id} messages={messages} label="Messages" showReplies />
      <Composer key={`${id}-composer`} channel={id} placeholder={`Message ${name}`} />
    </>
  )
}
