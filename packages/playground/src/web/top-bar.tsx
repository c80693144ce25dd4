import { Button, IconButton } from './button.tsx'
import { channelName, useDirectory } from './directory.ts'
import { Menu, type MenuItem } from './elements/menu.tsx'
import { useActions, usePage, useShowFailure } from './page.ts'
import type { Panel } from './state.ts'

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

/** The panels that can be opened next to the conversation. On narrow screens, those without `isPinned` are in the More menu. */
function usePanelButtons(): { name: string; panel: Panel; isPinned?: boolean }[] {
  const { snapshot } = usePage().state
  return [
    ...(snapshot.panels ?? []).map(({ name, firstVisitChannel }) => ({
      name,
      panel: { kind: 'host' as const, name },
      isPinned: firstVisitChannel !== undefined,
    })),
    { name: 'Inspector', panel: { kind: 'inspector', deliveryId: null } },
  ]
}

const isSamePanel = (left: Panel, right: Panel | null): boolean =>
  left.kind === right?.kind && (left.kind !== 'host' || right.kind !== 'host' || left.name === right.name)

function PanelButtons({ isNarrow }: { isNarrow: boolean }) {
  const { state, dispatch } = usePage()
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
      {items.length > 0 && <Menu label="More" icon="more" items={items} />}
    </>
  )
}

/** The title of the open channel or Home, and buttons for panels. On narrow screens, `onDrawer` opens the sidebar. */
export function TopBar({ connected, onDrawer }: { connected: boolean; onDrawer: (() => void) | undefined }) {
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
      <p className="topic">{channel?.topic}</p>
      {!connected && (
        <p className="connection-lost" role="alert">
          Connection lost. Reconnecting…
        </p>
      )}
      <PanelButtons isNarrow={onDrawer !== undefined} />
    </header>
  )
}
