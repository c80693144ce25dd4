import type { Channel } from '../protocol/protocol.ts'
import { Button } from './button.tsx'
import { Avatar } from './chat/avatar.tsx'
import { channelName, useDirectory } from './directory.ts'
import { Icon } from './icon.tsx'
import { usePage } from './page.ts'
import { findDmRecipient, shownName } from './people.ts'
import { PersonPicker } from './person-picker.tsx'
import { unreadCount } from './state.ts'

function SidebarEntry({ channel, onNavigate }: { channel: Channel; onNavigate: (() => void) | undefined }) {
  const { state, dispatch } = usePage()
  const directory = useDirectory()
  const { id, kind } = channel
  const isCurrent = state.route.kind === 'channel' && state.route.id === id
  const unread = unreadCount(state, id)
  const recipient = kind === 'dm' ? findDmRecipient(directory, channel) : undefined
  const open = () => {
    dispatch({ type: 'navigate', route: { kind: 'channel', id } })
    onNavigate?.()
  }
  return (
    <li>
      <Button
        className={unread > 0 ? 'entry unread' : 'entry'}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={open}
      >
        {recipient ? (
          <Avatar user={recipient.id} app={recipient.role === 'bot'} small />
        ) : (
          <span className="hash">
            <Icon name="hash" />
          </span>
        )}
        <span className="entry-name">
          {recipient ? shownName(recipient) : (channelName(directory, id) ?? id).replace('#', '')}
        </span>
        {unread > 0 && (
          <span className="count">
            {unread}
            <span className="hidden"> unread</span>
          </span>
        )}
      </Button>
    </li>
  )
}

/** The current person, the app's Home, channels, and direct messages. */
export function Sidebar({
  onSwitch,
  onNavigate,
}: {
  onSwitch: (user: string) => void
  /** Called after a channel or Home was chosen. */
  onNavigate?: (() => void) | undefined
}) {
  const { state, dispatch } = usePage()
  const { snapshot, route } = state
  const renderEntries = (channelKind: Channel['kind']) =>
    snapshot.channels
      .filter(({ kind }) => kind === channelKind)
      .map((channel) => <SidebarEntry key={channel.id} channel={channel} onNavigate={onNavigate} />)
  return (
    <nav className="sidebar" aria-label="Workspace">
      <p className="workspace" id="workspace-name">
        <span className="workspace-logo" aria-hidden="true" />
        {snapshot.workspaces.find(({ id }) => id === (snapshot.me.guestIn ?? snapshot.me.teamId))?.name ??
          'Playground'}
      </p>
      <h2>App</h2>
      <ul>
        <li>
          <Button
            className="entry"
            aria-current={route.kind === 'home' ? 'page' : undefined}
            onClick={() => {
              dispatch({ type: 'navigate', route: { kind: 'home' } })
              onNavigate?.()
            }}
          >
            <span className="hash">
              <Icon name="home" />
            </span>
            <span className="entry-name">{snapshot.bot.name} Home</span>
          </Button>
        </li>
      </ul>
      <h2>Channels</h2>
      <ul>{renderEntries('channel')}</ul>
      <h2>Direct messages</h2>
      <ul>{renderEntries('dm')}</ul>
      <PersonPicker onSwitch={onSwitch} />
    </nav>
  )
}
