import { memo, useMemo, useState } from 'react'
import { messageBlocks } from '../../protocol/elements.ts'
import type { Message } from '../../protocol/protocol.ts'
import type { Confirm } from '../block-kit.ts'
import { Blocks } from '../blocks/block.tsx'
import { Button } from '../button.tsx'
import { useConfirm } from '../confirm.tsx'
import { useDirectory } from '../directory.ts'
import { Menu, type MenuItem } from '../elements/menu.tsx'
import { EntityCard, externalId } from '../entity.tsx'
import { Icon } from '../icon.tsx'
import { useActions, useShowFailure } from '../page.ts'
import { SurfaceContext, useNewSurface } from '../surface.ts'
import { parseMarkdown } from '../text/markdown.ts'
import { SeeMore } from '../text/see-more.tsx'
import { Mrkdwn, TextBlocks } from '../text/text-view.tsx'
import { selectCurrentConversation } from '../values.ts'
import { AttachmentView } from './attachment-view.tsx'
import { Avatar, useAuthorName } from './avatar.tsx'
import { FileView } from './file-view.tsx'
import { MessageEditor } from './message-editor.tsx'
import { ReactionPicker, Reactions } from './reactions.tsx'
import { clockTime, fullTime, shortTime, toDate } from './times.ts'

const DELETE_CONFIRMATION: Confirm = {
  title: { type: 'plain_text', text: 'Delete message' },
  text: { type: 'plain_text', text: 'This deletes it for everyone and can’t be undone.' },
  confirm: { type: 'plain_text', text: 'Delete' },
  deny: { type: 'plain_text', text: 'Keep' },
  style: 'danger',
}

function useMenuItems(message: Message, onEdit: () => void, onReact: () => void): MenuItem[] {
  const { client, dispatch } = useActions()
  const directory = useDirectory()
  const showFailure = useShowFailure()
  const askConfirmation = useConfirm()
  const { channel, ts, cause, pinned = false } = message
  const threadTs = message.threadTs ?? ts
  const item = (key: string, label: string, onSelect: () => void): MenuItem => ({ key, label, onSelect })
  const remove = async () => {
    if (await askConfirmation(DELETE_CONFIRMATION)) showFailure(await client.remove({ channel, ts }))
  }
  const inspect = () => dispatch({ type: 'panel', panel: { kind: 'inspector', deliveryId: cause } })
  const inspectItems = cause === null ? [] : [item('cause', 'Inspect request', inspect)]
  if (message.ephemeral) return inspectItems
  const shortcuts = directory.shortcuts.filter(({ kind }) => kind === 'message')
  const isOwn = message.user === directory.me.id
  return [
    item('thread', 'Reply in thread', () => dispatch({ type: 'thread', thread: { channel, ts: threadTs } })),
    item('react', 'Add a reaction', onReact),
    item(
      'pin',
      pinned ? 'Unpin' : 'Pin',
      () => void client.pin({ channel, ts, remove: pinned }).then(showFailure),
    ),
    ...shortcuts.map(({ callbackId, name, description }) => ({
      key: callbackId,
      label: name,
      detail: description,
      onSelect: () => void client.shortcut({ callbackId, message: { channel, ts } }).then(showFailure),
    })),
    ...(isOwn
      ? [item('edit', 'Edit message', onEdit), item('delete', 'Delete message', () => void remove())]
      : []),
    ...inspectItems,
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

function MessageText({ message, text }: { message: Message; text: string }) {
  if (message.markdown) return <TextBlocks blocks={parseMarkdown(text)} />
  return message.mrkdwn ? <Mrkdwn text={text} /> : <p className="plain">{text}</p>
}

function MessageContent({ message }: { message: Message }) {
  const { channel, ts } = message
  const blocks = useMemo(() => selectCurrentConversation(message.blocks, channel), [message.blocks, channel])
  const { attachments } = message
  const allBlocks = useMemo(
    () => messageBlocks({ blocks, ...(attachments && { attachments }) }),
    [blocks, attachments],
  )
  const surface = useNewSurface({ kind: 'message', channel, ts }, allBlocks)
  if (message.deleted || message.subtype === 'tombstone')
    return <p className="soft">This message was deleted.</p>
  return (
    <SurfaceContext value={surface}>
      {message.blocks.length > 0 ? (
        <Blocks blocks={blocks} />
      ) : (
        <SeeMore text={message.text}>
          {(text) => (
            <div className="text">
              <MessageText message={message} text={text} />
            </div>
          )}
        </SeeMore>
      )}
      {message.attachments?.map((attachment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attachments have no IDs
        <AttachmentView key={index} attachment={attachment} />
      ))}
      {message.entities?.map((entity) => (
        <EntityCard
          key={externalId(entity)}
          entity={entity}
          location={{ channel, ts, ref: externalId(entity) }}
        />
      ))}
      {message.files.map((file) => (
        <FileView key={file.id} file={file} />
      ))}
    </SurfaceContext>
  )
}

const classNames = ({ ephemeral, subtype, app }: Message, compact: boolean): string =>
  [
    'message',
    compact && 'compact',
    ephemeral && 'ephemeral',
    subtype && subtype !== 'thread_broadcast' && !app && 'system',
    subtype === 'me_message' && 'me',
  ]
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
  const person = useAuthorName(message.user)
  const author = message.customAuthor?.name ?? person
  const [isEditing, setEditing] = useState(false)
  const [isReacting, setReacting] = useState(false)
  const items = useMenuItems(
    message,
    () => setEditing(true),
    () => setReacting(true),
  )
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
        {isEditing ? (
          <MessageEditor message={message} onDone={() => setEditing(false)} />
        ) : (
          <MessageContent message={message} />
        )}
        {message.pinned && <span className="soft">📌 Pinned </span>}
        {showsEdited(message) && <span className="soft">(edited) </span>}
        {message.warning !== null && (
          <p className="warning" role="alert">
            <Icon name="warning" />
            {message.warning} <DismissButton message={message} />
          </p>
        )}
        <Reactions message={message} />
        {showReplies && message.replyCount > 0 && <RepliesButton message={message} />}
      </div>
      {items.length > 0 && (
        <Menu label="Message actions" icon="more" items={items} className="message-menu" />
      )}
      {isReacting && <ReactionPicker message={message} onClose={() => setReacting(false)} />}
    </article>
  )
})
