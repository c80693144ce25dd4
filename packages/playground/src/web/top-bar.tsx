import { Button, IconButton } from './button.tsx'
import { channelName, useDirectory } from './directory.ts'
import { usePage } from './page.ts'

/** Opens and closes the panels next to the conversation. */
function PanelButtons() {
  const { state, dispatch } = usePage()
  return (state.snapshot.panels ?? []).map(({ name }) => (
    <Button
      key={name}
      aria-pressed={name === state.panel}
      onClick={() => dispatch({ type: 'panel', panel: name === state.panel ? null : name })}
    >
      {name}
    </Button>
  ))
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
      <p className="topic">{channel?.topic}</p>
      {!connected && (
        <p className="connection-lost" role="alert">
          Connection lost. Reconnecting…
        </p>
      )}
      <PanelButtons />
    </header>
  )
}
