import type { ReactNode } from 'react'
import { findEmoji } from '../../protocol/emoji.ts'
import { TIME_ZONE } from '../chat/times.ts'
import { channelName, groupName, personName, useDirectory } from '../directory.ts'
import { Each } from '../each.ts'
import { formatDate } from './date.ts'
import { type Inline, SAFE_URL } from './nodes.ts'

const TAGS = { bold: 'strong', italic: 'em', strike: 's', code: 'code' } as const

/** A link that opens in a new tab. URLs that aren't http, https, or mailto are shown as text without a link. */
export function SafeLink({ url, children }: { url: string; children: ReactNode }) {
  if (!SAFE_URL.test(url)) return <>{children}</>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

function Mention({
  kind,
  id,
  label,
}: {
  kind: 'user' | 'channel' | 'usergroup'
  id: string
  label?: string | undefined
}) {
  const directory = useDirectory()
  if (kind === 'channel')
    return <span className="mention">{channelName(directory, id) ?? `#${label ?? id}`}</span>
  const name = kind === 'user' ? personName(directory, id) : groupName(directory, id)
  const displayName = name ?? label?.replace(/^@/, '') ?? id
  const isMe =
    id === directory.me.id ||
    directory.userGroups.some((group) => group.id === id && group.users.includes(directory.me.id))
  return <span className={isMe ? 'mention mention-me' : 'mention'}>@{displayName}</span>
}

function DateText({ node }: { node: Extract<Inline, { kind: 'date' }> }) {
  const reader = { now: new Date(), timeZone: TIME_ZONE }
  const formatted = formatDate(node.timestamp, node.format, reader)
  if (formatted === undefined) return <>{node.fallback}</>
  const time = (
    <time dateTime={new Date(node.timestamp * 1000).toISOString()} title={node.fallback}>
      {formatted}
    </time>
  )
  return node.url === undefined ? time : <SafeLink url={node.url}>{time}</SafeLink>
}

function Emoji({ name }: { name: string }) {
  const emoji = findEmoji(name)
  if (emoji === undefined) return <>:{name}:</>
  return (
    <span className="emoji" role="img" aria-label={name.replaceAll('_', ' ')} title={`:${name}:`}>
      {emoji}
    </span>
  )
}

function Node({ node }: { node: Inline }): ReactNode {
  switch (node.kind) {
    case 'text':
      return node.text
    case 'break':
      return <br />
    case 'link':
      return (
        <SafeLink url={node.url}>
          <InlineView nodes={node.children} />
        </SafeLink>
      )
    case 'user':
    case 'channel':
    case 'usergroup':
      return <Mention kind={node.kind} id={node.id} label={node.label} />
    case 'broadcast':
      return <span className="mention mention-me">@{node.range}</span>
    case 'date':
      return <DateText node={node} />
    case 'emoji':
      return <Emoji name={node.name} />
    default: {
      const Tag = TAGS[node.kind]
      return (
        <Tag>
          <InlineView nodes={node.children} />
        </Tag>
      )
    }
  }
}

export function InlineView({ nodes }: { nodes: readonly Inline[] }) {
  return <Each of={nodes}>{(node) => <Node node={node} />}</Each>
}
