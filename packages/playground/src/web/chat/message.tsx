import { memo } from 'react'
import type { Message } from '../../protocol/protocol.ts'
import { Blocks } from '../blocks/block.tsx'
import { Button } from '../button.tsx'
import { useDirectory } from '../directory.ts'
import { Menu, type MenuItem } from '../elements/menu.tsx'
import { Icon } from '../icon.tsx'
import { useActions, useShowFailure } from '../page.ts'
import { SurfaceContext, useNewSurface } from '../surface.ts'
import { Mrkdwn } from '../text/text-view.tsx'
import { Avatar, useAuthorName } from './avatar.tsx'
import { FileView } from './file-view.tsx'
import { clockTime, fullTime, shortTime, toDate } from './times.ts'

function useMenuItems(message: Message): MenuItem[] {
  const { client, dispatch } = useActions()
  const directory = useDirectory()
  const showFailure = useShowFailure()
  const { channel, ts } = message
  const threadTs = message.threadTs ?? ts
  if (message.ephemeral) return []
  return [
    {
      key: 'thread',
      label: 'Reply in thread',
      onSelect: () => dispatch({ type: 'thread', thread: { channel, ts: threadTs } }),
    },
    ...directory.shortcuts.map(({ callbackId, name, description }) => ({
      key: callbackId,
      label: name,
      detail: description,
      onSelect: () => void client.shortcut({ callbackId, message: { channel, ts } }).then(showFailure),
    })),
  ]
}

function RepliesButton({ message }: { message: Message }) {
  const { dispatch } = useActions()
  const { channel, ts, replyCount } = message
  return (
    <Button className="replies" onClick={() => dispatch({ type: 'thread', thread: { channel, ts } })}>
      {replyCount} {replyCount === 1 ? 'reply' : 'replies'}
    </Button>
  )
}

function DismissButton({ message }: { message: Message }) {
  const { client } = useActions()
  return (
    <Button className="plain-link" onClick={() => void client.dismiss(message)}>
      Dismiss
    </Button>
  )
}

function MessageContent({ message }: { message: Message }) {
  const { channel, ts } = message
  const surface = useNewSurface({ kind: 'message', channel, ts }, message.blocks)
  return (
    <SurfaceContext value={surface}>
      {message.blocks.length > 0 ? (
        <Blocks blocks={message.blocks} />
      ) : (
        <div className="text">
          {message.mrkdwn ? <Mrkdwn text={message.text} /> : <p className="plain">{message.text}</p>}
        </div>
      )}
      {message.files.map((file) => (
        <FileView key={file.id} file={file} />
      ))}
    </SurfaceContext>
  )
}

const classNames = ({ ephemeral, subtype, app }: Message, compact: boolean): string =>
  ['message', compact && 'compact', ephemeral && 'ephemeral', subtype && !app && 'system']
    .filter(Boolean)
    .join(' ')

/** Slack doesn't mark edited messages with blocks (https://docs.slack.dev/reference/methods/chat.update, November 2026). */
const showsEdited = ({ edited, app, blocks }: Message): boolean => edited && !(app && blocks.length > 0)

/**
 * One message, rendered again only when it changes. `compact` hides the author, because the message continues the previous one. With
 * `showReplies`, a message with replies has a button that opens its thread.
 */
export const MessageView = memo(function MessageView({
  message,
  compact,
  showReplies,
}: {
  message: Message
  compact: boolean
  showReplies: boolean
}) {
  const author = useAuthorName(message.user)
  const items = useMenuItems(message)
  const date = toDate(message.ts)
  const time = (
    <time className="stamp soft" dateTime={date.toISOString()} title={fullTime(date)}>
      {compact ? shortTime(date) : clockTime(date)}
    </time>
  )
  return (
    <article
      className={classNames(message, compact)}
      aria-label={`${author}, ${clockTime(date)}`}
      data-ts={message.ts}
    >
      <div className="gutter">{compact ? time : <Avatar user={message.user} app={message.app} />}</div>
      <div className="message-body">
        {!compact && (
          <header>
            <strong className="author">{author}</strong>
            {message.app && <span className="badge">APP</span>}
            {time}
          </header>
        )}
        {message.ephemeral && (
          <p className="soft">
            <Icon name="eye" /> Only visible to you
            {' · '}
            <DismissButton message={message} />
          </p>
        )}
        <MessageContent message={message} />
        {showsEdited(message) && <span className="soft">(edited) </span>}
        {message.warning !== null && (
          <p className="warning" role="alert">
            <Icon name="warning" />
            {message.warning} <DismissButton message={message} />
          </p>
        )}
        {showReplies && message.replyCount > 0 && <RepliesButton message={message} />}
      </div>
      {items.length > 0 && (
        <Menu label="Message actions" icon="more" items={items} className="message-menu" />
      )}
    </article>
  )
})
