import { useState } from 'react'
import { Conversation } from './chat/conversation.tsx'
import { Thread } from './chat/thread.tsx'
import { ConfirmProvider } from './confirm.tsx'
import { channelName, DirectoryContext, useDirectory } from './directory.ts'
import { Menu } from './elements/menu.tsx'
import { Home } from './home.tsx'
import { Icon } from './icon.tsx'
import { Inspector } from './inspector/inspector.tsx'
import { ModalStack } from './modal.tsx'
import { Notices } from './notices.tsx'
import { PageContext, untold, usePage } from './page.ts'
import { Sidebar } from './sidebar.tsx'
import { useTheme } from './theme.ts'
import { TourCard } from './tour.tsx'
import { usePlayground } from './use-playground.ts'

function GlobalShortcuts() {
  const { state, client, dispatch } = usePage()
  const shortcuts = state.snapshot.shortcuts.filter(({ kind }) => kind === 'global')
  if (shortcuts.length === 0) return null
  const items = shortcuts.map(({ callbackId, name, description }) => ({
    key: callbackId,
    label: name,
    detail: description,
    onSelect: () =>
      void client.shortcut({ callbackId }).then((got) => {
        const text = untold(got)
        if (text !== undefined) dispatch({ type: 'notice', text, cause: null })
      }),
  }))
  return <Menu label="Shortcuts" icon="bolt" items={items} />
}

function TopBar({
  connected,
  isTouring,
  onTour,
}: {
  connected: boolean
  isTouring: boolean
  onTour: () => void
}) {
  const { state, dispatch } = usePage()
  const { theme, turn } = useTheme()
  const directory = useDirectory()
  const { spot, snapshot, inspecting } = state
  const channel = spot.kind === 'channel' ? directory.channels.find(({ id }) => id === spot.id) : undefined
  const title =
    spot.kind === 'home' ? `${snapshot.bot.name} Home` : (channelName(directory, spot.id) ?? spot.id)
  return (
    <header className="bar">
      <h2>{title}</h2>
      <p className="topic">{channel?.topic}</p>
      {!connected && (
        <p className="lost" role="alert">
          Connection lost, trying again…
        </p>
      )}
      <GlobalShortcuts />
      {snapshot.tour && (
        <button type="button" className="button small" aria-pressed={isTouring} onClick={onTour}>
          Tour
        </button>
      )}
      <button
        type="button"
        className="button small"
        aria-pressed={inspecting !== false}
        onClick={() => dispatch({ type: 'inspect', at: inspecting === false })}
      >
        Inspector
      </button>
      <button
        type="button"
        className="button icon"
        aria-label={`Theme: ${theme}`}
        title={`Theme: ${theme}`}
        onClick={turn}
      >
        <Icon name={theme} />
      </button>
    </header>
  )
}

const TOURED = 'signalman.toured'

/** Whether the tour is shown; once closed it stays so, and a button brings it back. */
function useTour(): [isOpen: boolean, turn: () => void] {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(TOURED) === null)
  const turn = () => {
    if (isOpen) localStorage.setItem(TOURED, 'yes')
    else localStorage.removeItem(TOURED)
    setOpen(!isOpen)
  }
  return [isOpen, turn]
}

function Loading({ connected }: { connected: boolean }) {
  return (
    <main className="loading">
      <p role="status">
        {connected ? 'Opening the playground…' : 'The playground does not answer. Trying again…'}
      </p>
    </main>
  )
}

export function App() {
  const { state, client, dispatch, actAs, connected } = usePlayground()
  const [isTouring, turnTour] = useTour()
  if (!state || !client) return <Loading connected={connected} />
  const { snapshot, spot, thread, inspecting } = state
  const start = snapshot.channels[0]?.id
  const isTourHere = isTouring && spot.kind === 'channel' && spot.id === start
  const onTour = () => {
    if (!isTourHere && start !== undefined) dispatch({ type: 'go', spot: { kind: 'channel', id: start } })
    if (isTourHere || !isTouring) turnTour()
  }
  return (
    <PageContext value={{ state, client, dispatch }}>
      <DirectoryContext value={snapshot}>
        <ConfirmProvider>
          <div className="page" key={snapshot.me.id}>
            <Sidebar onSwitch={actAs} />
            <main className="main">
              <TopBar connected={connected} isTouring={isTourHere} onTour={onTour} />
              {isTourHere && <TourCard channel={spot.id} onClose={turnTour} />}
              {spot.kind === 'home' ? <Home /> : <Conversation id={spot.id} />}
            </main>
            {thread && <Thread channel={thread.channel} ts={thread.ts} />}
            {inspecting !== false && <Inspector />}
            <ModalStack views={snapshot.views} />
            <Notices />
          </div>
        </ConfirmProvider>
      </DirectoryContext>
    </PageContext>
  )
}
