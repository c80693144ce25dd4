import { useMemo } from 'react'
import type { Message } from '../../protocol.ts'
import { Blocks } from '../blocks/block.tsx'
import { Menu, type MenuItem } from '../elements/menu.tsx'
import { Icon } from '../icon.tsx'
import { untold, usePage } from '../page.ts'
import { SurfaceContext, useNewSurface } from '../surface.ts'
import { Mrkdwn } from '../text/text-view.tsx'
import { inConversation } from '../values.ts'
import { Avatar, useAuthor } from './avatar.tsx'
import { FileView } from './file-view.tsx'
import { clockTime, fullTime, momentOf } from './when.ts'

function useMenuItems(message: Message): MenuItem[] {
  const { state, client, dispatch } = usePage()
  const { channel, ts, cause } = message
  const tell = (text: string | undefined) =>
    text !== undefined && dispatch({ type: 'notice', text, cause: null })
  const shortcuts = message.ephemeral ? [] : state.snapshot.shortcuts.filter(({ kind }) => kind === 'message')
  const open = message.threadTs ?? ts
  return [
    ...(message.ephemeral
      ? []
      : [
          {
            key: 'thread',
            label: 'Reply in thread',
            onSelect: () => dispatch({ type: 'thread', thread: { channel, ts: open } }),
          },
        ]),
    ...shortcuts.map(({ callbackId, name, description }) => ({
      key: callbackId,
      label: name,
      detail: description,
      onSelect: () =>
        void client.shortcut({ callbackId, message: { channel, ts } }).then((got) => tell(untold(got))),
    })),
    ...(cause === null
      ? []
      : [
          {
            key: 'cause',
            label: 'Inspect its request',
            onSelect: () => dispatch({ type: 'inspect', at: cause }),
          },
        ]),
  ]
}

function Replies({ message }: { message: Message }) {
  const { dispatch } = usePage()
  const { channel, ts, replyCount } = message
  return (
    <button
      type="button"
      className="replies"
      onClick={() => dispatch({ type: 'thread', thread: { channel, ts } })}
    >
      {replyCount} {replyCount === 1 ? 'reply' : 'replies'}
    </button>
  )
}

function Warning({ message, text }: { message: Message; text: string }) {
  const { client } = usePage()
  return (
    <p className="warning" role="alert">
      <Icon name="warning" />
      {text}{' '}
      <button type="button" className="plain-link" onClick={() => void client.dismiss(message)}>
        Dismiss
      </button>
    </p>
  )
}

function Content({ message }: { message: Message }) {
  const { channel, ts } = message
  const blocks = useMemo(() => inConversation(message.blocks, channel), [message.blocks, channel])
  const surface = useNewSurface({ kind: 'message', channel, ts }, blocks)
  if (message.deleted) return <p className="edited">This message was deleted.</p>
  return (
    <SurfaceContext value={surface}>
      {message.blocks.length > 0 ? (
        <Blocks blocks={blocks} />
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

/** One message; `compact` when it goes on where the one before left off. `threads`: whether it opens its thread. */
export function MessageView({
  message,
  compact,
  threads,
}: {
  message: Message
  compact: boolean
  threads: boolean
}) {
  const { client } = usePage()
  const author = useAuthor(message.user)
  const items = useMenuItems(message)
  const at = momentOf(message.ts)
  const time = (
    <time className="stamp" dateTime={at.toISOString()} title={fullTime(at)}>
      {clockTime(at)}
    </time>
  )
  const classes = ['message', compact && 'compact', message.ephemeral && 'ephemeral']
    .filter(Boolean)
    .join(' ')
  return (
    <article className={classes} aria-label={`${author}, ${clockTime(at)}`} data-ts={message.ts}>
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
          <p className="only-you">
            <Icon name="eye" /> Only visible to you
            {' · '}
            <button type="button" className="plain-link" onClick={() => void client.dismiss(message)}>
              Dismiss
            </button>
          </p>
        )}
        <Content message={message} />
        {message.edited && <span className="edited">(edited)</span>}
        {message.warning !== null && <Warning message={message} text={message.warning} />}
        {threads && message.replyCount > 0 && <Replies message={message} />}
      </div>
      {items.length > 0 && (
        <Menu label="Message actions" icon="more" items={items} className="message-menu" />
      )}
    </article>
  )
}
