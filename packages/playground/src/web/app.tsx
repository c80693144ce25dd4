// This folder: the page.

import { useMemo, useState } from 'react'
import { Conversation } from './chat/conversation.tsx'
import { Thread } from './chat/thread.tsx'
import { ConfirmProvider } from './confirm.tsx'
import { DirectoryContext } from './directory.ts'
import { Drawer } from './drawer.tsx'
import { Home } from './home.tsx'
import { HostPanel } from './host-panel.tsx'
import { ModalStack } from './modal.tsx'
import { Notices } from './notices.tsx'
import { ActionsContext, StateContext } from './page.ts'
import { Sidebar } from './sidebar.tsx'
import type { PageState } from './state.ts'
import { TopBar } from './top-bar.tsx'
import { NARROW, useMedia } from './use-media.ts'
import { usePlayground } from './use-playground.ts'

function Loading({ connected }: { connected: boolean }) {
  return (
    <main className="loading">
      <p role="status">
        {connected ? 'Opening the playground…' : 'The playground isn’t responding. Trying again…'}
      </p>
    </main>
  )
}

/** The panels next to the conversation. The host's panel is hidden while a thread is open. */
function SidePanels({ state: { thread, panel } }: { state: PageState }) {
  return (
    <>
      {thread && <Thread channel={thread.channel} ts={thread.ts} />}
      {panel !== null && !thread && <HostPanel key={panel} name={panel} />}
    </>
  )
}

function Page({
  state,
  connected,
  actAs,
}: {
  state: PageState
  connected: boolean
  actAs: (user: string) => void
}) {
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const isNarrow = useMedia(NARROW)
  return (
    <div className="page">
      {!isNarrow && <Sidebar onSwitch={actAs} />}
      {isNarrow && isDrawerOpen && (
        <Drawer onClose={() => setDrawerOpen(false)}>
          <Sidebar onSwitch={actAs} onNavigate={() => setDrawerOpen(false)} />
        </Drawer>
      )}
      <main className="main">
        <TopBar connected={connected} onDrawer={isNarrow ? () => setDrawerOpen(true) : undefined} />
        {state.route.kind === 'home' ? <Home /> : <Conversation id={state.route.id} />}
      </main>
      <SidePanels state={state} />
      <ModalStack views={state.snapshot.views} />
      <Notices />
    </div>
  )
}

export function App() {
  const { state, client, dispatch, actAs, connected } = usePlayground()
  const actions = useMemo(() => (client ? { client, dispatch } : undefined), [client, dispatch])
  const { me, people, channels, joinable, workspaces, userGroups, shortcuts } = state?.snapshot ?? {}
  const directory = useMemo(
    () =>
      me &&
      people &&
      channels &&
      workspaces && {
        me,
        people,
        channels,
        joinable: joinable ?? [],
        workspaces,
        userGroups: userGroups ?? [],
        shortcuts: shortcuts ?? [],
      },
    [me, people, channels, joinable, workspaces, userGroups, shortcuts],
  )
  if (!state || !actions || !directory) return <Loading connected={connected} />
  return (
    <ActionsContext value={actions}>
      <StateContext value={state}>
        <DirectoryContext value={directory}>
          <ConfirmProvider>
            <Page key={directory.me.id} state={state} connected={connected} actAs={actAs} />
          </ConfirmProvider>
        </DirectoryContext>
      </StateContext>
    </ActionsContext>
  )
}
