import type { Channel } from '../protocol/protocol.ts'
import { Button, IconButton } from './button.tsx'
import { channelName, type Directory, useDirectory } from './directory.ts'
import { Menu, type MenuItem } from './elements/menu.tsx'
import { useActions, usePage, useShowFailure } from './page.ts'
import { findDmRecipient } from './people.ts'
import type { Panel } from './state.ts'
import { useTheme } from './theme.ts'

function GlobalShortcuts() {
  const { client } = useActions()
  const showFailure = useShowFailure()
  const shortcuts = useDirectory().shortcuts.filter(({ kind }) => kind === 'global')
  if (shortcuts.length === 0) return null
  const items = shortcuts.map(({ callbackId, name, description }) => ({
    key: callbackId,
    label: name,
    detail: description,
    onSelect: () => void client.shortcut({ callbackId }).then(showFailure),
  }))
  return <Menu label="Shortcuts" icon="bolt" items={items} />
}

/** The open channel's menu. */
function ChannelMenu({ id, name }: { id: string; name: string }) {
  const { client } = useActions()
  const showFailure = useShowFailure()
  const onSelect = () => void client.membership({ channel: id, leave: true }).then(showFailure)
  return (
    <Menu
      label="This channel"
      icon="chevron-down"
      items={[{ key: 'leave', label: `Leave #${name}`, onSelect }]}
    />
  )
}

/** A button that starts an assistant thread and opens it. */
function NewChat({ channel }: { channel: string }) {
  const { client, dispatch } = useActions()
  const showFailure = useShowFailure()
  const start = async () => {
    const outcome = await client.startThread(channel)
    if (outcome.ok && outcome.ts) dispatch({ type: 'thread', thread: { channel, ts: outcome.ts } })
    showFailure(outcome)
  }
  return <Button onClick={() => void start()}>New chat</Button>
}

const isAppChat = (directory: Directory, channel: Channel): boolean =>
  channel.kind === 'dm' && findDmRecipient(directory, channel)?.role === 'bot'

/** The panels that can be opened next to the conversation. On narrow screens, those without `isPinned` are in the More menu. */
function usePanelButtons(): { name: string; panel: Panel; isPinned?: boolean }[] {
  const { snapshot } = usePage().state
  return [
    ...(snapshot.panels ?? []).map(({ name, firstVisitChannel }) => ({
      name,
      panel: { kind: 'host' as const, name },
      isPinned: firstVisitChannel !== undefined,
    })),
    ...(snapshot.stepFunctions?.length ? [{ name: 'Steps', panel: { kind: 'steps' as const } }] : []),
    ...(snapshot.hasTools ? [{ name: 'Slackbot', panel: { kind: 'tools' as const } }] : []),
    { name: 'Inspector', panel: { kind: 'inspector', deliveryId: null } },
  ]
}

const isSamePanel = (left: Panel, right: Panel | null): boolean =>
  left.kind === right?.kind && (left.kind !== 'host' || right.kind !== 'host' || left.name === right.name)

function PanelButtons({ isNarrow }: { isNarrow: boolean }) {
  const { state, dispatch } = usePage()
  const { theme, nextTheme } = useTheme()
  const buttons = usePanelButtons()
  const collapsedButtons = buttons.filter(({ isPinned }) => isNarrow && !isPinned)
  const items = collapsedButtons.map(
    ({ name, panel }): MenuItem => ({
      key: name,
      label: name,
      onSelect: () => dispatch({ type: 'panel', panel }),
    }),
  )
  return (
    <>
      {buttons
        .filter((button) => !collapsedButtons.includes(button))
        .map(({ name, panel }) => {
          const isOpen = isSamePanel(panel, state.panel)
          return (
            <Button
              key={name}
              aria-pressed={isOpen}
              onClick={() => dispatch({ type: 'panel', panel: isOpen ? null : panel })}
            >
              {name}
            </Button>
          )
        })}
      {isNarrow ? (
        <Menu
          label="More"
          icon="more"
          items={[...items, { key: 'theme', label: `Theme: ${theme}`, onSelect: nextTheme }]}
        />
      ) : (
        <IconButton label={`Theme: ${theme}`} title={`Theme: ${theme}`} icon={theme} onClick={nextTheme} />
      )}
    </>
  )
}

/** The title of the open channel or Home, and buttons for panels. On narrow screens, `onDrawer` opens the sidebar. */
export function TopBar({
  connected,
  onSwitcher,
  onDrawer,
}: {
  connected: boolean
  onSwitcher: () => void
  onDrawer: (() => void) | undefined
}) {
  const { route, snapshot } = usePage().state
  const directory = useDirectory()
  const channel = route.kind === 'channel' ? directory.channels.find(({ id }) => id === route.id) : undefined
  // On narrow screens, the name doesn't fit next to the buttons.
  const homeTitle = onDrawer ? 'Home' : `${snapshot.bot.name} Home`
  const title = route.kind === 'home' ? homeTitle : (channelName(directory, route.id) ?? route.id)
  return (
    <header className="bar">
      {onDrawer && <IconButton icon="menu" label="Channels" aria-haspopup="dialog" onClick={onDrawer} />}
      <h1>{title}</h1>
      {channel?.kind === 'channel' && <ChannelMenu id={channel.id} name={channel.name} />}
      {channel && isAppChat(directory, channel) && snapshot.isAssistant && <NewChat channel={channel.id} />}
      <p className="topic">{channel?.topic}</p>
      {!connected && (
        <p className="connection-lost" role="alert">
          Connection lost. Reconnecting…
        </p>
      )}
      <IconButton icon="search" label="Go to (Ctrl-K)" title="Go to (Ctrl-K)" onClick={onSwitcher} />
      <GlobalShortcuts />
      <PanelButtons isNarrow={onDrawer !== undefined} />
    </header>
  )
}
