import type { Channel } from '../protocol.ts'
import { channelName, type Directory, partnerOf, useDirectory } from './directory.ts'
import { Menu, type MenuItem } from './elements/menu.tsx'
import { Icon } from './icon.tsx'
import { useActions, usePage, useTell } from './page.ts'
import type { Panel } from './state.ts'
import { type Theme, useTheme } from './theme.ts'

function GlobalShortcuts() {
  const { client } = useActions()
  const tell = useTell()
  const shortcuts = useDirectory().shortcuts.filter(({ kind }) => kind === 'global')
  if (shortcuts.length === 0) return null
  const items = shortcuts.map(({ callbackId, name, description }) => ({
    key: callbackId,
    label: name,
    detail: description,
    onSelect: () => void client.shortcut({ callbackId }).then(tell),
  }))
  return <Menu label="Shortcuts" icon="bolt" items={items} />
}

/** What a person does with the channel itself. */
function ChannelMenu({ id, name }: { id: string; name: string }) {
  const { client } = useActions()
  const tell = useTell()
  const onSelect = () => void client.membership({ channel: id, leave: true }).then(tell)
  return (
    <Menu label="This channel" icon="down2" items={[{ key: 'leave', label: `Leave #${name}`, onSelect }]} />
  )
}

/** Begins a thread with an assistant, and opens it. */
function NewChat({ from }: { from: string }) {
  const { client, dispatch } = useActions()
  const tell = useTell()
  const begin = async () => {
    const outcome = await client.thread(from)
    if (outcome.ok && outcome.ts) dispatch({ type: 'thread', thread: { channel: from, ts: outcome.ts } })
    tell(outcome)
  }
  return (
    <button type="button" className="button small" onClick={() => void begin()}>
      New chat
    </button>
  )
}

const isAppChat = (directory: Directory, channel: Channel): boolean =>
  channel.kind === 'dm' && partnerOf(directory, channel)?.role === 'bot'

interface Tool {
  name: string
  panel: Panel
}

/** The panels that can stand beside the conversation here. */
function useTools(): Tool[] {
  const { snapshot } = usePage().state
  return [
    ...(snapshot.tour ? [{ name: 'Tour', panel: { kind: 'tour' as const } }] : []),
    ...(snapshot.stepFunctions?.length ? [{ name: 'Steps', panel: { kind: 'steps' as const } }] : []),
    ...(snapshot.hasTools ? [{ name: 'Slackbot', panel: { kind: 'tools' as const } }] : []),
    { name: 'Weather', panel: { kind: 'weather' } },
    { name: 'Inspector', panel: { kind: 'inspector', at: null } },
  ]
}

function WideTools({ theme, turn }: { theme: Theme; turn: () => void }) {
  const { state, dispatch } = usePage()
  return (
    <>
      {useTools().map(({ name, panel }) => {
        const isOpen = state.panel?.kind === panel.kind
        return (
          <button
            key={name}
            type="button"
            className="button small"
            aria-pressed={isOpen}
            onClick={() => dispatch({ type: 'panel', panel: isOpen ? null : panel })}
          >
            {name}
          </button>
        )
      })}
      <button
        type="button"
        className="button icon"
        aria-label={`Theme: ${theme}`}
        title={`Theme: ${theme}`}
        onClick={turn}
      >
        <Icon name={theme} />
      </button>
    </>
  )
}

function NarrowTools({ theme, turn }: { theme: Theme; turn: () => void }) {
  const { dispatch } = usePage()
  const tools = useTools().map(
    ({ name, panel }): MenuItem => ({
      key: name,
      label: name,
      onSelect: () => dispatch({ type: 'panel', panel }),
    }),
  )
  const items = [...tools, { key: 'theme', label: `Theme: ${theme}`, onSelect: turn }]
  return <Menu label="More" icon="more" items={items} />
}

/** Where one is, and what can be opened beside it. `onDrawer`: the side bar is a drawer, and this opens it. */
export function TopBar({
  connected,
  onSwitcher,
  onDrawer,
}: {
  connected: boolean
  onSwitcher: () => void
  onDrawer: (() => void) | undefined
}) {
  const { spot, snapshot } = usePage().state
  const themed = useTheme()
  const directory = useDirectory()
  const channel = spot.kind === 'channel' ? directory.channels.find(({ id }) => id === spot.id) : undefined
  const title =
    spot.kind === 'home' ? `${snapshot.bot.name} Home` : (channelName(directory, spot.id) ?? spot.id)
  return (
    <header className="bar">
      {onDrawer && (
        <button
          type="button"
          className="button icon"
          aria-label="Channels"
          aria-haspopup="dialog"
          onClick={onDrawer}
        >
          <Icon name="menu" />
        </button>
      )}
      <h1>{title}</h1>
      {channel?.kind === 'channel' && <ChannelMenu id={channel.id} name={channel.name} />}
      {channel && isAppChat(directory, channel) && snapshot.isAssistant && <NewChat from={channel.id} />}
      <p className="topic">{channel?.topic}</p>
      {!connected && (
        <p className="lost" role="alert">
          Connection lost, trying again…
        </p>
      )}
      <button
        type="button"
        className="button icon"
        aria-label="Go to (Ctrl-K)"
        title="Go to (Ctrl-K)"
        onClick={onSwitcher}
      >
        <Icon name="search" />
      </button>
      <GlobalShortcuts />
      {onDrawer ? <NarrowTools {...themed} /> : <WideTools {...themed} />}
    </header>
  )
}
